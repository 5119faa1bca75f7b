#include <spinhost/plugin.h>

SPIN_PLUGIN("talker", "1.0.0");

SPIN_EFFECT(int64_t, greet, (const char *name), "Prints a greeting; the number of characters in it.");
SPIN_EFFECT(void, refuse, (spin_call *call, const char *reason), "Fails with `reason`.");
