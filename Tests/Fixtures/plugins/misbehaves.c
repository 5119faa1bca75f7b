// Breaks the rules of plugin.h that a host can check. (Longer than 350 lines, because each rule needs a function.)
#include <pthread.h>
#include <spinhost/plugin.h>
#include <stdio.h>
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

static int32_t key_after_finish(spin_call *call) {
    char key[SPIN_RUN_KEY_SIZE];
    spin_finish(call);
    return spin_run_key(call, key, sizeof key);
}
SPIN_EFFECT(int32_t, key_after_finish, (spin_call *call), "");

static int32_t key_without_room(spin_call *call) {
    char key[2] = "?";
    spin_status status = spin_run_key(call, key, sizeof key);
    return strcmp(key, "?") == 0 ? status : 99;
}
SPIN_EFFECT(int32_t, key_without_room, (spin_call *call), "");

static int32_t key_to_null(spin_call *call) { return spin_run_key(call, NULL, SPIN_RUN_KEY_SIZE); }
SPIN_EFFECT(int32_t, key_to_null, (spin_call *call), "");

static int32_t key_to_anywhere(spin_call *call) {
    return spin_run_key(call, (char *)"constant", SPIN_RUN_KEY_SIZE);
}
SPIN_EFFECT(int32_t, key_to_anywhere, (spin_call *call), "");

static int32_t log_invalid(void) { return spin_log(NULL, SPIN_LOG_INFO, "\xC3("); }
SPIN_EFFECT(int32_t, log_invalid, (void), "");

static int32_t log_bad_field(void) {
    return spin_log_with(NULL, SPIN_LOG_INFO, "bad", spin_field_text("Host", "x"));
}
SPIN_EFFECT(int32_t, log_bad_field, (void), "");

static int32_t log_field_twice(void) {
    return spin_log_with(NULL, SPIN_LOG_INFO, "twice", spin_field_flag("up", 1), spin_field_flag("up", 0));
}
SPIN_EFFECT(int32_t, log_field_twice, (void), "");

static int32_t log_many_fields(void) {
    static char names[40][3];
    static spin_field fields[40];
    for (int i = 0; i < 40; i++) {
        names[i][0] = 'a', names[i][1] = (char)(i < 26 ? 'a' + i : '0' + i - 26);
        if (i >= 36)
            names[i][0] = (char)('b' + i - 36);
        fields[i] = spin_field_integer(names[i], i);
    }
    return spin_log_fields(NULL, SPIN_LOG_INFO, "many", fields, 40);
}
SPIN_EFFECT(int32_t, log_many_fields, (void), "");

static int32_t lie_about_fields(void) {
    spin_field field = spin_field_flag("up", 1);
    return spin_log_fields(NULL, SPIN_LOG_INFO, "lie", &field, (size_t)-1);
}
SPIN_EFFECT(int32_t, lie_about_fields, (void), "");

static int32_t log_wild_fields(void) {
    spin_field fields[2] = {spin_field_text((const char *)16, "x"), spin_field_text("far", NULL)};
    fields[1].value.text = (spin_string){(const char *)16, 10};
    spin_status status = spin_log_fields(NULL, SPIN_LOG_INFO, "wild", fields, 2);
    return status ? spin_log_fields(NULL, SPIN_LOG_INFO, "wilder", (const spin_field *)16, 2) : status;
}
SPIN_EFFECT(int32_t, log_wild_fields, (void), "");

static int32_t bad_metric_name(void) { return (int32_t)spin_counter("strokes", "No `_total`."); }
SPIN_EFFECT(int32_t, bad_metric_name, (void), "");

static int32_t bad_label(void) { return (int32_t)spin_gauge("pressure_bar", "", "plugin", "x"); }
SPIN_EFFECT(int32_t, bad_label, (void), "");

static int32_t bad_bounds(void) {
    static const double falling[] = {2, 1};
    return (int32_t)spin_histogram(falling, 2, "stroke_litres", "");
}
SPIN_EFFECT(int32_t, bad_bounds, (void), "");

static int32_t other_kind(void) {
    spin_gauge("things", "");
    return (int32_t)spin_histogram(NULL, 0, "things", "");
}
SPIN_EFFECT(int32_t, other_kind, (void), "");

static int32_t many_metrics(void) {
    spin_metric last = 0;
    for (int i = 0; i <= SPIN_METRICS_AT_MOST; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        last = spin_gauge("too_many", "", "number", number);
    }
    return (int32_t)last;
}
SPIN_EFFECT(int32_t, many_metrics, (void), "");

static int32_t unknown_metric(void) { return spin_metric_add(77, 1); }
SPIN_EFFECT(int32_t, unknown_metric, (void), "");

static int32_t wrong_metric(void) { return spin_metric_set(spin_counter("wrong_total", ""), 1); }
SPIN_EFFECT(int32_t, wrong_metric, (void), "");

static int32_t count_back(void) { return spin_metric_add(spin_counter("back_total", ""), -1); }
SPIN_EFFECT(int32_t, count_back, (void), "");

static int32_t wild_metrics(void) {
    const char *const wild[] = {(const char *)16, "x"};
    return !spin_register_gauge((const char *)16, "", NULL, 0) &&
           !spin_register_gauge("a", (const char *)16, NULL, 0) && !spin_register_gauge("a", "", wild, 1) &&
           !spin_register_gauge("a", "", (const char *const *)16, 1) &&
           !spin_register_gauge("a", "", wild, (size_t)-1) &&
           !spin_register_histogram("a", "", NULL, 0, (const double *)16, 4);
}
SPIN_EFFECT(int32_t, wild_metrics, (void), "");

static int32_t lie_about_size(void) {
    const spin_log_service *service = (const spin_log_service *)spin_service(SPIN_LOG_SERVICE);
    return service->write(spin_current_host(), NULL, 0, "short", (size_t)-1, NULL, 0);
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

static int32_t room_twice(spin_call *call) {
    spin_on_room(call, nothing, NULL);
    return spin_on_room(call, nothing, NULL);
}
SPIN_EFFECT(int32_t, room_twice, (spin_call *call), "");

static int32_t room_null(spin_call *call) { return spin_on_room(call, NULL, NULL); }
SPIN_EFFECT(int32_t, room_null, (spin_call *call), "");

static int32_t room_after_finish(spin_call *call) {
    spin_finish(call);
    return spin_on_room(call, nothing, NULL);
}
SPIN_EFFECT(int32_t, room_after_finish, (spin_call *call), "");

static void ready(void *context, uint64_t events) { (void)context, (void)events; }
static int32_t poll_null(spin_call *call) {
    return spin_poll_start(call, 0, SPIN_POLL_READ, NULL, NULL, NULL, NULL);
}
SPIN_EFFECT(int32_t, poll_null, (spin_call *call), "");

static int32_t poll_closed(spin_call *call) {
    return spin_poll_start(call, -1, SPIN_POLL_READ, ready, NULL, NULL, NULL);
}
SPIN_EFFECT(int32_t, poll_closed, (spin_call *call), "");

static int32_t poll_unknown_events(spin_call *call) {
    return spin_poll_start(call, 0, 64, ready, NULL, NULL, NULL);
}
SPIN_EFFECT(int32_t, poll_unknown_events, (spin_call *call), "");

static int32_t poll_file(spin_call *call) {
    FILE *file = tmpfile();
    int32_t answer = spin_poll_start(call, fileno(file), SPIN_POLL_READ, ready, NULL, NULL, NULL);
    fclose(file);
    return answer;
}
SPIN_EFFECT(int32_t, poll_file, (spin_call *call), "");

static int32_t poll_twice(spin_call *call) {
    int ends[2];
    if (pipe(ends))
        return 0;
    spin_poll poll = 0;
    spin_poll_start(call, ends[0], SPIN_POLL_READ, ready, NULL, NULL, &poll);
    int32_t answer = spin_poll_start(call, ends[0], SPIN_POLL_READ, ready, NULL, NULL, NULL);
    spin_poll_cancel(poll);
    close(ends[0]);
    close(ends[1]);
    return answer;
}
SPIN_EFFECT(int32_t, poll_twice, (spin_call *call), "");

static int32_t poll_after_finish(spin_call *call) {
    spin_finish(call);
    return spin_poll_start(call, 0, SPIN_POLL_READ, ready, NULL, NULL, NULL);
}
SPIN_EFFECT(int32_t, poll_after_finish, (spin_call *call), "");

static int32_t retain_foreign(spin_call *call) {
    static const uint8_t own[8192];
    return spin_buffer_retain(call, own);
}
SPIN_EFFECT(int32_t, retain_foreign, (spin_call *call), "");

static int32_t release_twice(void) {
    uint8_t *bytes = spin_buffer_alloc(16);
    spin_buffer_release(bytes);
    return spin_buffer_release(bytes);
}
SPIN_EFFECT(int32_t, release_twice, (void), "");

static int32_t leave_buffer(void) { return spin_buffer_alloc(64) != NULL; }
SPIN_EFFECT(int32_t, leave_buffer, (void), "");
static const int64_t numbers[2] = {1, 2};

static int32_t publish_null(void) { return spin_publish("numbers", 1, 0, NULL, 8); }
SPIN_EFFECT(int32_t, publish_null, (void), "");

static int32_t publish_empty(void) { return spin_publish("numbers", 1, 0, numbers, 0); }
SPIN_EFFECT(int32_t, publish_empty, (void), "");

static int32_t publish_nameless(void) { return spin_publish("", 1, 0, numbers, sizeof numbers); }
SPIN_EFFECT(int32_t, publish_nameless, (void), "");

static int32_t publish_badly(void) { return spin_publish("\xC3(", 1, 0, numbers, sizeof numbers); }
SPIN_EFFECT(int32_t, publish_badly, (void), "");

static int32_t publish_wild(void) { return spin_publish("numbers", 1, 0, (const void *)8, 64); }
SPIN_EFFECT(int32_t, publish_wild, (void), "");

static int32_t publish_twice(void) {
    spin_publish("numbers", 1, 0, numbers, sizeof numbers);
    return spin_publish("numbers", 1, 1, numbers, sizeof numbers);
}
SPIN_EFFECT(int32_t, publish_twice, (void), "");

static int32_t acquire_own(void) {
    const void *table;
    spin_use use;
    spin_publish("own", 1, 0, numbers, sizeof numbers);
    return spin_acquire("own", 1, 0, NULL, NULL, &table, NULL, &use);
}
SPIN_EFFECT(int32_t, acquire_own, (void), "");

static int32_t acquire_nowhere(void) { return spin_acquire("own", 1, 0, NULL, NULL, NULL, NULL, NULL); }
SPIN_EFFECT(int32_t, acquire_nowhere, (void), "");

static int32_t release_unknown(void) { return spin_release(4711); }
SPIN_EFFECT(int32_t, release_unknown, (void), "");

static int32_t release_first(void) { return spin_release(1); }
SPIN_EFFECT(int32_t, release_first, (void), "");

static int32_t wild_timer(spin_call *call) {
    return spin_timer_start(call, 1, 0, due, NULL, NULL, (spin_timer *)8);
}
SPIN_EFFECT(int32_t, wild_timer, (spin_call *call), "");

static int32_t wild_poll(spin_call *call) {
    return spin_poll_start(call, 0, SPIN_POLL_READ, ready, NULL, NULL, (spin_poll *)8);
}
SPIN_EFFECT(int32_t, wild_poll, (spin_call *call), "");

static int32_t wild_use(void) {
    const void *table;
    return spin_acquire("numbers", 1, 0, NULL, NULL, &table, NULL, (spin_use *)8);
}
SPIN_EFFECT(int32_t, wild_use, (void), "");
