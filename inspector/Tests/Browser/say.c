// A plugin that logs what it is called with, for the tests of the page. VERSION is its version, and LEVEL the level
// of its lines. With CRASHES, it crashes when a text begins with `!`.
#include <spinhost/plugin.h>

#ifndef LEVEL
#define LEVEL SPIN_LOG_WARNING
#endif

SPIN_PLUGIN("say", VERSION);

static int32_t say(const char *text) {
#ifdef CRASHES
    if (text[0] == '!') {
        return *(volatile int32_t *)(intptr_t)text[0];
    }
#endif
    return spin_log(NULL, LEVEL, text);
}
SPIN_EFFECT(int32_t, say, (const char *text), "");
