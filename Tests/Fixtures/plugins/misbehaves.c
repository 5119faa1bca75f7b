// Breaks the rules of plugin.h that a host can check.
#include <pthread.h>
#include <spinhost/plugin.h>
#include <string.h>
#include <unistd.h>

SPIN_PLUGIN("misbehaves", "1.0.0");
SPIN_EMITTER(ticked, (int64_t, n));

static int32_t emit_after_finish(spin_call *call) {
    spin_finish(call);
    return ticked(call, 1);
}
SPIN_EFFECT(int32_t, emit_after_finish, (spin_call *call), "");

static int32_t finish_twice(spin_call *call) {
    spin_finish(call);
    return spin_finish(call);
}
SPIN_EFFECT(int32_t, finish_twice, (spin_call *call), "");

static int32_t fail_after_finish(spin_call *call) {
    spin_finish(call);
    return spin_fail(call, -3, "too late");
}
SPIN_EFFECT(int32_t, fail_after_finish, (spin_call *call), "");

static void nothing(void *context) { (void)context; }
static int32_t on_cancel_twice(spin_call *call) {
    spin_on_cancel(call, nothing, NULL);
    return spin_on_cancel(call, nothing, NULL);
}
SPIN_EFFECT(int32_t, on_cancel_twice, (spin_call *call), "");

static int32_t on_cancel_null(spin_call *call) { return spin_on_cancel(call, NULL, NULL); }
SPIN_EFFECT(int32_t, on_cancel_null, (spin_call *call), "");

static int32_t on_cancel_after_finish(spin_call *call) {
    spin_finish(call);
    return spin_on_cancel(call, nothing, NULL);
}
SPIN_EFFECT(int32_t, on_cancel_after_finish, (spin_call *call), "");

static void due(void *context, uint64_t expirations) { (void)context, (void)expirations; }
static int32_t negative_timer(spin_call *call) {
    return spin_timer_start(call, -1, 0, due, NULL, NULL, NULL);
}
SPIN_EFFECT(int32_t, negative_timer, (spin_call *call), "");

static int32_t timer_without_function(spin_call *call) {
    return spin_timer_start(call, 1, 0, NULL, NULL, NULL, NULL);
}
SPIN_EFFECT(int32_t, timer_without_function, (spin_call *call), "");

static int32_t timer_after_finish(spin_call *call) {
    spin_finish(call);
    return spin_timer_start(call, 1, 0, due, NULL, NULL, NULL);
}
SPIN_EFFECT(int32_t, timer_after_finish, (spin_call *call), "");

static int32_t log_invalid(void) { return spin_log(NULL, SPIN_LOG_INFO, "\xC3("); }
SPIN_EFFECT(int32_t, log_invalid, (void), "");

static int32_t lie_about_size(void) {
    const spin_log_service *service = (const spin_log_service *)spin_service(SPIN_LOG_SERVICE);
    return service->write(spin_current_host(), NULL, 0, "short", (size_t)-1);
}
SPIN_EFFECT(int32_t, lie_about_size, (void), "");

static int32_t emit_null_with_size(spin_call *call);
SPIN_EMITTER(told, (spin_string, text));
static int32_t emit_null_with_size(spin_call *call) { return told(call, (spin_string){NULL, 5}); }
SPIN_EFFECT(int32_t, emit_null_with_size, (spin_call *call), "");

static int32_t emit_huge_size(spin_call *call) { return told(call, (spin_string){"x", (size_t)1 << 60}); }
SPIN_EFFECT(int32_t, emit_huge_size, (spin_call *call), "");

// Emits the status that it gets.
static void emit_waiting(spin_call *call) {
    ticked(call, spin_wait_ticked(call, 1, SPIN_FOREVER));
    spin_finish(call);
}
SPIN_EFFECT(void, emit_waiting, (spin_call *call), "");

static void wait_when_due(void *context, uint64_t expirations) {
    (void)expirations;
    spin_wait_ticked((spin_call *)context, 1, 1);
}
static int32_t wait_in_timer(spin_call *call) {
    return spin_timer_start(call, 1, 0, wait_when_due, call, NULL, NULL);
}
SPIN_EFFECT(int32_t, wait_in_timer, (spin_call *call), "");

// Makes the given number of emissions in one call, without waiting.
static int64_t flood(spin_call *call, int64_t count) {
    int64_t taken = 0;
    for (int64_t n = 0; n < count; n++)
        taken += ticked(call, n) == SPIN_OK;
    spin_finish(call);
    return taken;
}
SPIN_EFFECT(int64_t, flood, (spin_call *call, int64_t count), "");

// The same from a thread of its own.
static int64_t flood_count;
static void *flood_thread(void *context) {
    flood((spin_call *)context, flood_count);
    return NULL;
}
static void flood_from_thread(spin_call *call, int64_t count) {
    pthread_t thread;
    flood_count = count;
    pthread_create(&thread, NULL, flood_thread, call);
    pthread_detach(thread);
}
SPIN_EFFECT(void, flood_from_thread, (spin_call *call, int64_t count), "");

// Leaves a thread that never ends.
static void *stay(void *context) {
    pause();
    return context;
}
static int32_t leave_thread(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, stay, NULL) || pthread_detach(thread);
}
SPIN_EFFECT(int32_t, leave_thread, (void), "");

// A thread that emits when a test says so, long after the end of the call.
static spin_call *kept;
static int keep(spin_call *call) {
    kept = call;
    return 0;
}
SPIN_EFFECT(int32_t, keep, (spin_call *call), "");
int64_t emit_kept(void) { return ticked(kept, 9); }

// Waits for a byte of a pipe.
int64_t wait_for_byte(int32_t descriptor) {
    char byte;
    return read(descriptor, &byte, 1);
}
