// An effect in C++. An exception that leaves it is a fault of that call; `on-error` in the manifest handles
// it.
#include <spinhost/plugin.h>

#include <stdexcept>
#include <string>

SPIN_PLUGIN("newton", "1.0.0");

static double improve(double square, double guess) {
    if (square < 0)
        throw std::domain_error("no real number has the square " + std::to_string(square));
    return (guess + square / guess) / 2;
}
SPIN_EFFECT(double, improve, (double square, double guess), "A better guess at the square root of `square`.");
