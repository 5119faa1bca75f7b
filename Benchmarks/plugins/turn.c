#include <spinhost/plugin.h>

SPIN_PLUGIN("turn", "1.0.0");

static int64_t next(int64_t number) { return number + 1; }
SPIN_EFFECT(int64_t, next, (int64_t number), "The next number.");

static spin_bytes turn(spin_bytes data) { return data; }
SPIN_EFFECT(spin_bytes, turn, (spin_bytes data), "The same bytes.");
