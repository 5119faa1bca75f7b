// Built for a later major version of the ABI. Its constructor must not run.
#include <stdlib.h>
#include <spinhost/plugin.h>
#undef SPIN_ABI_MAJOR
#define SPIN_ABI_MAJOR 3

SPIN_PLUGIN("future", "9.0.0");

static __attribute__((constructor)) void begin(void) { abort(); }
