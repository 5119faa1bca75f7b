// Has the notes of a plugin, but exports nothing.
#define SPIN_EXPORT __attribute__((visibility("hidden")))
#include <spinhost/plugin.h>

SPIN_PLUGIN("hidden", "1.0.0");
