#include <spinhost/plugin.h>

SPIN_PLUGIN("hello", "1.0.0");

static int32_t hello(int32_t value) { return value + 1; }
SPIN_EFFECT(int32_t, hello, (int32_t value), "One more than `value`.");
