#include <spinhost/plugin.h>

SPIN_PLUGIN("swapped", "1.0.0");

static int32_t probe(int32_t level) { return level; }
SPIN_EFFECT_CHECKED(int32_t, probe, (int32_t level), "result < 0", "The level, negative for a failure.");
