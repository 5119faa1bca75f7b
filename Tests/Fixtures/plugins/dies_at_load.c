// Its constructor ends the process.
#include <spinhost/plugin.h>
#include <stdlib.h>

SPIN_PLUGIN("dies_at_load", "1.0.0");

static __attribute__((constructor)) void begin(void) { abort(); }

static int64_t half(int64_t n) { return n / 2; }
SPIN_EFFECT(int64_t, half, (int64_t n), "");
