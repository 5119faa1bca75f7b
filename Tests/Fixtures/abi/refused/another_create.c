// Refused because of: conflicting types for .create|invalid conversion|cannot initialize
#include <spinhost/plugin.h>

struct spin_self {
    int32_t count;
};
static int32_t *create(spin_call *call, const spin_config *config) { return (void)call, (void)config, NULL; }
static void destroy(spin_self *self) { (void)self; }
SPIN_INSTANCE(create, destroy);
