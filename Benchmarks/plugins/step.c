#include <spinhost/plugin.h>

SPIN_PLUGIN("step", "1.0.0");

static int64_t step_toward(int64_t from, int64_t to) { return from < to ? from + 1 : from - (from > to); }
SPIN_EFFECT(int64_t, step_toward, (int64_t from, int64_t to), "One step from `from` toward `to`.");
