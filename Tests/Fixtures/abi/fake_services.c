/* The services of the tests' host (script/services writes this file). fake_host.c defines what the tests need; the other
 * functions answer SPIN_UNSUPPORTED, 0 or NULL. */
// clang-format off
#include "fake_host.h"
#include <string.h>

__attribute__((weak)) spin_status fake_api_publish(const spin_host *host, const char *name, uint32_t major, uint32_t minor, const void *table, uint32_t size) {
    (void)host; (void)name; (void)major; (void)minor; (void)table; (void)size; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_api_withdraw(const spin_host *host, const char *name) {
    (void)host; (void)name; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_api_acquire(const spin_host *host, const char *name, uint32_t major, uint32_t least_minor, void (*wanted)(void *context), void *context, const void **table, uint32_t *size, spin_use *use) {
    (void)host; (void)name; (void)major; (void)least_minor; (void)wanted; (void)context; (void)table; (void)size; (void)use; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_api_release(const spin_host *host, spin_use use) {
    (void)host; (void)use; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) void *fake_arena_allocate(const spin_host *host, spin_call *call, size_t size) {
    (void)host; (void)call; (void)size; return 0;
}

__attribute__((weak)) uint8_t *fake_buffer_allocate(const spin_host *host, size_t size) {
    (void)host; (void)size; return 0;
}

__attribute__((weak)) spin_status fake_buffer_retain(const spin_host *host, spin_call *call, const uint8_t *data) {
    (void)host; (void)call; (void)data; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_buffer_release(const spin_host *host, const uint8_t *data) {
    (void)host; (void)data; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) int64_t fake_clock_monotonic(const spin_host *host) {
    (void)host; return 0;
}

__attribute__((weak)) spin_timestamp fake_clock_wall(const spin_host *host) {
    (void)host; return 0;
}

__attribute__((weak)) spin_call *fake_instance_call(const spin_host *host, spin_call *call) {
    (void)host; (void)call; return 0;
}

__attribute__((weak)) spin_status fake_log_write(const spin_host *host, spin_call *call, int32_t level, const char *text, size_t size, const spin_field *fields, size_t count) {
    (void)host; (void)call; (void)level; (void)text; (void)size; (void)fields; (void)count; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_metric fake_metrics_counter(const spin_host *host, const char *name, const char *help, const char *const *labels, size_t label_count) {
    (void)host; (void)name; (void)help; (void)labels; (void)label_count; return 0;
}

__attribute__((weak)) spin_metric fake_metrics_gauge(const spin_host *host, const char *name, const char *help, const char *const *labels, size_t label_count) {
    (void)host; (void)name; (void)help; (void)labels; (void)label_count; return 0;
}

__attribute__((weak)) spin_metric fake_metrics_histogram(const spin_host *host, const char *name, const char *help, const char *const *labels, size_t label_count, const double *bounds, size_t bound_count) {
    (void)host; (void)name; (void)help; (void)labels; (void)label_count; (void)bounds; (void)bound_count; return 0;
}

__attribute__((weak)) spin_status fake_metrics_add(const spin_host *host, spin_metric metric, double amount) {
    (void)host; (void)metric; (void)amount; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_metrics_set(const spin_host *host, spin_metric metric, double value) {
    (void)host; (void)metric; (void)value; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_metrics_observe(const spin_host *host, spin_metric metric, double value) {
    (void)host; (void)metric; (void)value; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_output_print(const spin_host *host, const char *text, size_t size) {
    (void)host; (void)text; (void)size; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_poll_start(const spin_host *host, spin_call *call, int32_t descriptor, uint64_t events, void (*ready)(void *context, uint64_t events), void *context, void (*release)(void *context), spin_poll *poll) {
    (void)host; (void)call; (void)descriptor; (void)events; (void)ready; (void)context; (void)release; (void)poll; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_poll_change(const spin_host *host, spin_poll poll, uint64_t events) {
    (void)host; (void)poll; (void)events; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_poll_cancel(const spin_host *host, spin_poll poll) {
    (void)host; (void)poll; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_room_on_room(const spin_host *host, spin_call *call, void (*function)(void *context), void *context) {
    (void)host; (void)call; (void)function; (void)context; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_run_key(const spin_host *host, spin_call *call, char *to, size_t capacity) {
    (void)host; (void)call; (void)to; (void)capacity; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) uint32_t fake_run_attempt(const spin_host *host, spin_call *call) {
    (void)host; (void)call; return 0;
}

__attribute__((weak)) spin_status fake_timer_start(const spin_host *host, spin_call *call, spin_duration first, spin_duration interval, void (*fire)(void *context, uint64_t expirations), void *context, void (*release)(void *context), spin_timer *timer) {
    (void)host; (void)call; (void)first; (void)interval; (void)fire; (void)context; (void)release; (void)timer; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_timer_cancel(const spin_host *host, spin_timer timer) {
    (void)host; (void)timer; return SPIN_UNSUPPORTED;
}

__attribute__((weak)) spin_status fake_work_submit(const spin_host *host, void (*function)(void *context), void *context) {
    (void)host; (void)function; (void)context; return SPIN_UNSUPPORTED;
}

static const spin_api_service api = {sizeof api, 0, fake_api_publish, fake_api_withdraw, fake_api_acquire, fake_api_release};
static const spin_arena_service arena = {sizeof arena, 0, fake_arena_allocate};
static const spin_buffer_service buffer = {sizeof buffer, 0, fake_buffer_allocate, fake_buffer_retain, fake_buffer_release};
static const spin_clock_service clock = {sizeof clock, 0, fake_clock_monotonic, fake_clock_wall};
static const spin_instance_service instance = {sizeof instance, 0, fake_instance_call};
static const spin_log_service log = {sizeof log, 0, fake_log_write};
static const spin_metrics_service metrics = {sizeof metrics, 0, fake_metrics_counter, fake_metrics_gauge, fake_metrics_histogram, fake_metrics_add, fake_metrics_set, fake_metrics_observe};
static const spin_output_service output = {sizeof output, 0, fake_output_print};
static const spin_poll_service poll = {sizeof poll, 0, fake_poll_start, fake_poll_change, fake_poll_cancel};
static const spin_room_service room = {sizeof room, 0, fake_room_on_room};
static const spin_run_service run = {sizeof run, 0, fake_run_key, fake_run_attempt};
static const spin_timer_service timer = {sizeof timer, 0, fake_timer_start, fake_timer_cancel};
static const spin_work_service work = {sizeof work, 0, fake_work_submit};

const void *fake_service(const char *id) {
    if (strcmp(id, SPIN_API_SERVICE) == 0)
        return &api;
    if (strcmp(id, SPIN_ARENA_SERVICE) == 0)
        return &arena;
    if (strcmp(id, SPIN_BUFFER_SERVICE) == 0)
        return &buffer;
    if (strcmp(id, SPIN_CLOCK_SERVICE) == 0)
        return &clock;
    if (strcmp(id, SPIN_INSTANCE_SERVICE) == 0)
        return &instance;
    if (strcmp(id, SPIN_LOG_SERVICE) == 0)
        return &log;
    if (strcmp(id, SPIN_METRICS_SERVICE) == 0)
        return &metrics;
    if (strcmp(id, SPIN_OUTPUT_SERVICE) == 0)
        return &output;
    if (strcmp(id, SPIN_POLL_SERVICE) == 0)
        return &poll;
    if (strcmp(id, SPIN_ROOM_SERVICE) == 0)
        return &room;
    if (strcmp(id, SPIN_RUN_SERVICE) == 0)
        return &run;
    if (strcmp(id, SPIN_TIMER_SERVICE) == 0)
        return &timer;
    if (strcmp(id, SPIN_WORK_SERVICE) == 0)
        return &work;
    return NULL;
}
