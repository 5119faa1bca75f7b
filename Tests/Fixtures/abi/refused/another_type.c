// Refused because of: conflicting types for .narrow|cannot initialize a variable of type|invalid conversion
#include <spinhost/plugin.h>

static int64_t narrow(int64_t value, int32_t width) { return value % width; }
SPIN_EFFECT(int64_t, narrow, (int64_t value, int64_t width), "");
