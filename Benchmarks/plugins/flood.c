#include <pthread.h>
#include <spinhost/plugin.h>

SPIN_PLUGIN("flood", "1.0.0");
SPIN_EMITTER(ticked, (int64_t, n));

static int64_t emissions;

static void *emit_all(void *context) {
    spin_call *call = context;
    for (int64_t n = 1; n <= emissions; n++)
        ticked(call, n);
    spin_finish(call);
    return NULL;
}

static void flood(spin_call *call, int64_t count) {
    pthread_t thread;
    emissions = count;
    if (pthread_create(&thread, NULL, emit_all, call) == 0)
        pthread_detach(thread);
    else
        spin_fail(call, -1, "there is no room for a thread");
}
SPIN_EFFECT(void, flood, (spin_call * call, int64_t count), "Emits `ticked` so many times, from a thread.");
