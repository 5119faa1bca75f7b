#include <spinhost/plugin.h>

SPIN_PLUGIN("shouting", "1.0.0");

SPIN_EFFECT(void, shout, (spin_call *call, const char *text), "Prints `text` in capitals.");
