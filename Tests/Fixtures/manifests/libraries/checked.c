#include <spinhost/plugin.h>

SPIN_PLUGIN("checked", "1.0.0");

static int32_t fetch(spin_call *call, const char *url) { return spin_fail(call, -1, url); }
SPIN_EFFECT_CHECKED(int32_t, fetch, (spin_call *call, const char *url), "GET of `url`.", "result < 0");
