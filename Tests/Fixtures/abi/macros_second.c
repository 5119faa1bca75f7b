// A second file of the same plugin declares effects too.
#include <spinhost/plugin.h>

static int32_t twice(int32_t value) { return value * 2; }
SPIN_EFFECT(int32_t, twice, (int32_t value), "Two times `value`.");
