// Refused because of: write \(void\) for an effect without parameters
#include <spinhost/plugin.h>

static int32_t one() { return 1; }
SPIN_EFFECT(int32_t, one, (), "");
