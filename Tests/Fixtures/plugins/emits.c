// One effect for each function of the host that a call may use. The results are their statuses.
#include <pthread.h>
#include <spinhost/plugin.h>
#include <stdbool.h>
#include <stdlib.h>

SPIN_PLUGIN("emits", "1.2.3");

SPIN_EMITTER(nothing);
SPIN_EMITTER(pair, (int32_t, a), (double, b));
SPIN_EMITTER(told, (const char *, text), (int8_t, n), (spin_string, more));
SPIN_EMITTER(dumped, (spin_bytes, data), (bool, flag));

static spin_status emit_nothing(spin_call *call) { return nothing(call); }
SPIN_EFFECT(int32_t, emit_nothing, (spin_call *call), "");

static spin_status emit_pair(spin_call *call, int32_t a, double b) { return pair(call, a, b); }
SPIN_EFFECT(int32_t, emit_pair, (spin_call *call, int32_t a, double b), "");

static spin_status emit_text(spin_call *call, const char *text) {
    char first[32], more[32];
    spin_string rest = {more, 3};
    for (int i = 0; i < 32; i++)
        first[i] = more[i] = text[i < 2 ? i : 2];
    first[2] = 0;
    spin_status status = told(call, first, -7, rest);
    for (int i = 0; i < 32; i++)
        first[i] = more[i] = '!';
    return status;
}
SPIN_EFFECT(int32_t, emit_text, (spin_call *call, const char *text), "");

static spin_status emit_null(spin_call *call) { return told(call, NULL, 0, (spin_string){NULL, 0}); }
SPIN_EFFECT(int32_t, emit_null, (spin_call *call), "");

static spin_status emit_invalid(spin_call *call) { return told(call, "a\xFF", 0, (spin_string){"b", 1}); }
SPIN_EFFECT(int32_t, emit_invalid, (spin_call *call), "");

static spin_status emit_bytes(spin_call *call) {
    const uint8_t data[3] = {0, 255, 1};
    union {
        uint8_t byte;
        bool flag;
    } strange = {.byte = 2};
    struct {
        spin_bytes data;
        uint8_t flag;
    } payload = {{data, 3}, strange.byte};
    return spin_emit(call, &spin_emitter_dumped, &payload);
}
SPIN_EFFECT(int32_t, emit_bytes, (spin_call *call), "");

static spin_status emit_without_payload(spin_call *call) { return spin_emit(call, &spin_emitter_pair, NULL); }
SPIN_EFFECT(int32_t, emit_without_payload, (spin_call *call), "");

static spin_status emit_foreign(spin_call *call) {
    spin_emitter copy = spin_emitter_pair;
    return spin_emit(call, &copy, NULL);
}
SPIN_EFFECT(int32_t, emit_foreign, (spin_call *call), "");

static spin_status finish(spin_call *call) { return spin_finish(call); }
SPIN_EFFECT(int32_t, finish, (spin_call *call), "");

static spin_status fail(spin_call *call, int32_t code, const char *text) {
    return spin_fail(call, code, text);
}
SPIN_EFFECT(int32_t, fail, (spin_call *call, int32_t code, const char *text), "");

static spin_status fail_silently(spin_call *call) { return spin_fail(call, 0, NULL); }
SPIN_EFFECT(int32_t, fail_silently, (spin_call *call), "");

static int32_t is_cancelled(spin_call *call) { return spin_cancelled(call); }
SPIN_EFFECT(int32_t, is_cancelled, (spin_call *call), "");

static void *emit_many(void *argument) {
    for (int32_t i = 0; i < 1000; i++)
        pair((spin_call *)argument, i, 0.5);
    spin_finish((spin_call *)argument);
    return NULL;
}

static pthread_t last_thread;
static int32_t emit_from_thread(spin_call *call) {
    return pthread_create(&last_thread, NULL, emit_many, call);
}
SPIN_EFFECT(int32_t, emit_from_thread, (spin_call *call), "");

int32_t join_thread(void) { return pthread_join(last_thread, NULL); }

static int64_t cancels;
static void count_cancel(void *context) {
    __atomic_fetch_add((int64_t *)context, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&cancels, 1, __ATOMIC_SEQ_CST);
}
int64_t cancel_count(void) { return __atomic_load_n(&cancels, __ATOMIC_SEQ_CST); }

static int64_t contexts[8];
static spin_status on_cancel(spin_call *call, int32_t which) {
    return spin_on_cancel(call, count_cancel, &contexts[which & 7]);
}
SPIN_EFFECT(int32_t, on_cancel, (spin_call *call, int32_t which), "");

static spin_status on_cancel_nothing(spin_call *call) { return spin_on_cancel(call, NULL, NULL); }
SPIN_EFFECT(int32_t, on_cancel_nothing, (spin_call *call), "");

// Registers a function, then ends the call while another thread cancels it. 1 when the end came first, 0 when
// the cancellation did, -1 when neither or both say so.
static int32_t race(spin_call *call) {
    int64_t called = 0;
    if (spin_on_cancel(call, count_cancel, &called) != SPIN_OK)
        return 0;
    spin_status ended = spin_finish(call);
    if (ended == SPIN_OK)
        return __atomic_load_n(&called, __ATOMIC_SEQ_CST) == 0 ? 1 : -1;
    while (__atomic_load_n(&called, __ATOMIC_SEQ_CST) == 0) {
    }
    return 0;
}
SPIN_EFFECT(int32_t, race, (spin_call *call), "");

// Timers.
struct timed {
    spin_call *call;
    spin_timer timer;
    int64_t stop_after;
    int64_t count;
};
static int64_t released;
int64_t release_count(void) { return __atomic_load_n(&released, __ATOMIC_SEQ_CST); }

static void due(void *context, uint64_t expirations) {
    struct timed *timed = context;
    timed->count++;
    pair(timed->call, (int32_t)expirations, (double)timed->count);
    if (timed->count == timed->stop_after)
        spin_timer_cancel(timed->timer);
}
static void done(void *context) {
    __atomic_fetch_add(&released, 1, __ATOMIC_SEQ_CST);
    free(context);
}
static int32_t start_timer(spin_call *call, int64_t first, int64_t interval, int64_t stop_after) {
    struct timed *timed = malloc(sizeof *timed);
    *timed = (struct timed){call, 0, stop_after, 0};
    spin_status status = spin_timer_start(call, first, interval, due, timed, done, &timed->timer);
    if (status != SPIN_OK)
        free(timed);
    return status;
}
SPIN_EFFECT(int32_t, start_timer, (spin_call *call, int64_t first, int64_t interval, int64_t stop_after), "");
static int32_t cancel_timer(int64_t timer) { return spin_timer_cancel((spin_timer)timer); }
SPIN_EFFECT(int32_t, cancel_timer, (int64_t timer), "");

// Services without a call.
static int32_t log_line(spin_call *call, int32_t level, const char *text) {
    return spin_log(call, level, text);
}
SPIN_EFFECT(int32_t, log_line, (spin_call *call, int32_t level, const char *text), "");
static int32_t print_line(const char *text) { return spin_print(text); }
SPIN_EFFECT(int32_t, print_line, (const char *text), "");
static int32_t print_invalid(void) { return spin_print("\xFF"); }
SPIN_EFFECT(int32_t, print_invalid, (void), "");
static int64_t now(void) { return spin_monotonic(); }
SPIN_EFFECT(int64_t, now, (void), "");
static int64_t today(void) { return spin_wall(); }
SPIN_EFFECT(int64_t, today, (void), "");
static int32_t has_service(const char *id) { return spin_service(id) != NULL; }
SPIN_EFFECT(int32_t, has_service, (const char *id), "");
static int64_t generation(void) { return (int64_t)spin_current_host()->generation; }
SPIN_EFFECT(int64_t, generation, (void), "");
