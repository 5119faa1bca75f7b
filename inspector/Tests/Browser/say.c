// A plugin that logs what it is called with, for the tests of the page. VERSION is its version.
#include <spinhost/plugin.h>

SPIN_PLUGIN("say", VERSION);

static int32_t say(const char *text) { return spin_log(NULL, SPIN_LOG_WARNING, text); }
SPIN_EFFECT(int32_t, say, (const char *text), "");
