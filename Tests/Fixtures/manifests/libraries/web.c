#include <spinhost/plugin.h>

SPIN_PLUGIN("web", "1.0.0");

SPIN_EMITTER(loaded, (const char *, body), (int32_t, status));
SPIN_EMITTER(failed, (const char *, reason));

static void fetch(spin_call *call, const char *url) {
    loaded(call, url, 200);
    failed(call, url);
    spin_finish(call);
}
SPIN_EFFECT(void, fetch, (spin_call *call, const char *url), "GET of `url`; emits `loaded` or `failed`.");
