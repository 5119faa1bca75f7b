// Refused because of: conflicting types for .reconfigure|invalid conversion|cannot initialize
#include <spinhost/plugin.h>

static spin_status reconfigure(spin_call *call, spin_self *self, const spin_config *config) {
    (void)call, (void)self, (void)config;
    return SPIN_OK;
}
SPIN_RECONFIGURE(reconfigure);
