#include <spinhost/plugin.h>

SPIN_PLUGIN("levels", "1.0.0");

static int64_t step_toward(int64_t from, int64_t to) { return from < to ? from + 1 : from - 1; }
SPIN_EFFECT(int64_t, step_toward, (int64_t from, int64_t to), "One step from `from` toward `to`.");

static int32_t probe(int32_t level) { return level; }
SPIN_EFFECT_CHECKED(int32_t, probe, (int32_t level), "The level, negative for a failure.", "result < 0");
