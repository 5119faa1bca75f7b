// Refused because of: conflicting types for .half|cannot initialize a variable of type|invalid conversion
#include <spinhost/plugin.h>

static float half(double value) { return (float)value / 2; }
SPIN_EFFECT(double, half, (double value), "");
