#include <spinhost/plugin.h>
#include <string>

SPIN_PLUGIN("counting", "1.0.0");

// The static of an inline function is a unique symbol unless the build says otherwise.
inline int32_t &counter() {
    static int32_t count = 0;
    return count;
}

static int32_t count_letters(const char *text) {
    return counter() += static_cast<int32_t>(std::string(text).size());
}
SPIN_EFFECT(int32_t, count_letters, (const char *text), "The letters of all texts so far.");
