// Has the notes of a plugin and exports nothing.
#define SPIN_EXPORT __attribute__((visibility("hidden")))
#include <spinhost/plugin.h>

SPIN_PLUGIN("hidden", "1.0.0");
