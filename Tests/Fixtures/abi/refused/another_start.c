// Refused because of: conflicting types for .start|invalid conversion|cannot initialize
#include <spinhost/plugin.h>

static void start(spin_call *call, spin_self *self) { (void)call, (void)self; }
static void stop(spin_self *self) { (void)self; }
SPIN_LIFE(start, stop);
