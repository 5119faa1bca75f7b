#include <spinhost/plugin.h>

SPIN_PLUGIN("right", "1.0.0");

SPIN_EFFECT(int64_t, step_toward, (int64_t from, int64_t to), "One step from `from` toward `to`.");
