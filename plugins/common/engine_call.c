#include "engine_call.h"
#include <stdlib.h>

static struct engine_call *call_of(struct lasting *lasting) { return (struct engine_call *)lasting; }

static void release(struct lasting *lasting) {
    struct engine_call *call = call_of(lasting);
    if (call->release)
        call->release(call);
}

static void over(struct lasting *lasting) { engine_note_end(call_of(lasting)->engine); }

static void ring(struct lasting *lasting) { engine_ring(call_of(lasting)->engine); }

static void discard(struct lasting *lasting) {
    struct engine_call *call = call_of(lasting);
    struct engine *engine = call->engine;
    release(lasting);
    if (call->dispose)
        call->dispose(call);
    free(call);
    engine_forget(engine);
}

void *engine_call_make(struct engine *engine, spin_call *call, size_t size) {
    static const struct lasting_kind functions = {release, over, ring, discard};
    struct engine_call *made = calloc(1, size);
    if (!made) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    made->engine = engine;
    made->call = call;
    lasting_init(&made->lasting, &functions);
    engine_count(engine);
    return made;
}

void engine_call_read_key(struct engine_call *call) {
    if (spin_run_key(call->call, call->key, sizeof call->key) != SPIN_OK)
        call->key[0] = 0;
}

void engine_call_refuse(struct engine_call *call, spin_status code, const char *reason) {
    spin_call *refused = call->call;
    // Before the host hears of the end, as another call may follow at once.
    discard(&call->lasting);
    spin_fail(refused, code, reason);
}

void engine_call_begin(struct engine_call *call) {
    if (lasting_begin(&call->lasting, call->call))
        engine_add(call->engine, &call->lasting);
    else
        engine_call_drop(call);
}

void engine_call_finish(struct engine_call *call) {
    lasting_end(&call->lasting, call->call, SPIN_OK, NULL);
    engine_call_drop(call);
}

void engine_call_fail(struct engine_call *call, spin_status code, const char *reason) {
    lasting_end(&call->lasting, call->call, code, reason);
    engine_call_drop(call);
}

int engine_call_continues(struct engine_call *call, spin_status status) {
    return lasting_continues(&call->lasting, call->call, status);
}

int engine_call_is_over(const struct engine_call *call) { return atomic_load(&call->lasting.is_over); }

void engine_call_drop(struct engine_call *call) { lasting_drop(&call->lasting); }
