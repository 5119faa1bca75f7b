// A second file of the same plugin declares effects too.
#include "macros_shared.h"

static int32_t twice(int32_t value) { return value * 2; }
SPIN_EFFECT(int32_t, twice, (int32_t value), "Two times `value`.");

spin_status emit_from_second(spin_call *call, int32_t value) { return shared(call, value); }
