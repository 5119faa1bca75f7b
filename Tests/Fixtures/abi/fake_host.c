#include "fake_host.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { calls_at_most = 64, timers_at_most = 8 };

struct call {
    int is_over;
    spin_status reason;
    void (*cancel)(void *);
    void *context;
};

struct timer {
    spin_call *call;
    int64_t due, interval;
    void (*fire)(void *, uint64_t);
    void (*release)(void *);
    void *context;
    int is_live, is_firing, has_ended;
};

void (*fake_render)(const spin_emitter *, const void *);
spin_status fake_emit_status, fake_timer_status, fake_print_status;
int fake_has_services = 1;
spin_call *fake_cancel_in_emit;

static struct call calls[calls_at_most];
static struct timer timers[timers_at_most];
static size_t call_count;
static int64_t now;
static char transcript[4096];

void fake_note(const char *format, ...) {
    size_t used = strlen(transcript);
    used += (size_t)snprintf(transcript + used, sizeof transcript - used, "%lld ", (long long)now);
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(transcript + used, sizeof transcript - used, format, arguments);
    va_end(arguments);
    snprintf(transcript + used, sizeof transcript - used, "\n");
}

int fake_has_noted(const char *text) { return strstr(transcript, text) != NULL; }

int fake_expect(const char *name, const char *expected) {
    int is_same = strcmp(transcript, expected) == 0;
    if (!is_same)
        fprintf(stderr, "%s\nexpected:\n%sfound:\n%s", name, expected, transcript);
    transcript[0] = 0;
    return is_same;
}

// A token is the call's number, from 1: an address would crash whoever follows it, and so does this.
static struct call *find(spin_call *call) {
    uintptr_t number = (uintptr_t)call;
    return number >= 1 && number <= call_count ? &calls[number - 1] : NULL;
}

const char *fake_name(const spin_description *description) {
    switch (description->kind) {
    case SPIN_KIND_EFFECT:
        return ((const spin_effect *)description)->name;
    case SPIN_KIND_EMITTER:
        return ((const spin_emitter *)description)->name;
    case SPIN_KIND_REDUCER:
        return ((const spin_reducer *)description)->name;
    case SPIN_KIND_LOOP:
        return ((const spin_loop *)description)->name;
    case SPIN_KIND_RECORD:
        return ((const spin_record *)description)->name;
    default:
        return "";
    }
}

const void *fake_find(const struct spin_entry *entry, int kind, const char *name) {
    for (const spin_description *const *next = entry->descriptions; next < entry->descriptions_end; next++)
        if ((*next)->kind == kind && strcmp(fake_name(*next), name) == 0)
            return *next;
    return NULL;
}

spin_call *fake_call(void) { return (spin_call *)(uintptr_t)++call_count; }

static spin_status status_of(spin_call *call) {
    struct call *found = find(call);
    return !found ? SPIN_STOPPED : found->is_over ? found->reason : SPIN_OK;
}

spin_status fake_status(spin_call *call) { return status_of(call); }

static void end_timer(struct timer *timer) {
    timer->has_ended = 1;
    if (timer->is_firing)
        return;
    timer->is_live = 0;
    if (timer->release) {
        timer->release(timer->context);
        fake_note("release");
    }
}

static void end(spin_call *call, spin_status reason) {
    find(call)->is_over = 1;
    find(call)->reason = reason;
    for (int i = 0; i < timers_at_most; i++)
        if (timers[i].is_live && timers[i].call == call)
            end_timer(&timers[i]);
    fake_end_polls(call);
}

void fake_cancel(spin_call *call) {
    struct call *found = find(call);
    void (*cancel)(void *) = found->cancel;
    found->cancel = NULL;
    found->is_over = 1;
    found->reason = SPIN_CANCELLED;
    if (cancel)
        cancel(found->context);
    end(call, SPIN_CANCELLED);
}

static spin_status emit(spin_call *call, const spin_emitter *emitter, const void *payload) {
    if (call == fake_cancel_in_emit && status_of(call) == SPIN_OK)
        fake_cancel(call);
    if (status_of(call) != SPIN_OK) {
        fake_note("late %s", emitter->name);
        return status_of(call);
    }
    if (fake_emit_status == SPIN_OK)
        fake_render(emitter, payload);
    return fake_emit_status;
}

// One thread: there is nobody who could make room meanwhile.
static spin_status emit_wait(spin_call *call, const spin_emitter *emitter, const void *payload,
                             spin_duration timeout) {
    (void)timeout;
    return emit(call, emitter, payload);
}

static spin_status finish(spin_call *call) {
    spin_status status = status_of(call);
    if (status == SPIN_OK) {
        fake_note("finish");
        end(call, SPIN_STOPPED);
    }
    return status;
}

static spin_status fail(spin_call *call, spin_status code, const char *text) {
    spin_status status = status_of(call);
    if (status == SPIN_OK) {
        fake_note("fail %d %s", code, text);
        end(call, SPIN_STOPPED);
    }
    return status;
}

static int32_t cancelled(spin_call *call) { return status_of(call) != SPIN_OK; }

static spin_status on_cancel(spin_call *call, void (*function)(void *), void *context) {
    spin_status status = status_of(call);
    if (status != SPIN_OK)
        return status;
    if (!function)
        return SPIN_BAD_VALUE;
    if (find(call)->cancel)
        return SPIN_FULL;
    find(call)->cancel = function;
    find(call)->context = context;
    return SPIN_OK;
}

spin_status fake_timer_start(const spin_host *host, spin_call *call, spin_duration first,
                             spin_duration interval, void (*fire)(void *, uint64_t), void *context,
                             void (*release)(void *), spin_timer *timer) {
    (void)host;
    if (fake_timer_status != SPIN_OK)
        return fake_timer_status;
    if (status_of(call) != SPIN_OK)
        return status_of(call);
    for (int i = 0; i < timers_at_most; i++)
        if (!timers[i].is_live) {
            timers[i] = (struct timer){.call = call,
                                       .due = now + first,
                                       .interval = interval,
                                       .fire = fire,
                                       .release = release,
                                       .context = context,
                                       .is_live = 1};
            if (timer)
                *timer = (spin_timer)i + 1;
            return SPIN_OK;
        }
    return SPIN_NO_MEMORY;
}

spin_status fake_timer_cancel(const spin_host *host, spin_timer timer) {
    (void)host;
    if (timer < 1 || timer > timers_at_most || !timers[timer - 1].is_live || timers[timer - 1].has_ended)
        return SPIN_STOPPED;
    end_timer(&timers[timer - 1]);
    return SPIN_OK;
}

void fake_advance(int64_t nanoseconds) {
    now += nanoseconds;
    for (int i = 0; i < timers_at_most; i++) {
        struct timer *timer = &timers[i];
        if (!timer->is_live || timer->due > now)
            continue;
        int64_t expirations = timer->interval ? (now - timer->due) / timer->interval + 1 : 1;
        timer->due += expirations * timer->interval;
        timer->is_firing = 1;
        timer->fire(timer->context, (uint64_t)expirations);
        timer->is_firing = 0;
        if (timer->has_ended || !timer->interval)
            end_timer(timer);
    }
}

int fake_timers(void) {
    int count = 0;
    for (int i = 0; i < timers_at_most; i++)
        count += timers[i].is_live;
    return count;
}

spin_status fake_output_print(const spin_host *host, const char *text, size_t size) {
    (void)host;
    if (fake_print_status == SPIN_OK)
        fake_note("print %.*s", (int)size, text);
    return fake_print_status;
}

spin_status fake_log_write(const spin_host *host, spin_call *call, int32_t level, const char *text,
                           size_t size, const spin_field *fields, size_t count) {
    (void)host;
    char shown[256] = "";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(shown);
        char *to = shown + used;
        const spin_field_value *value = &fields[i].value;
        switch (fields[i].kind) {
        case SPIN_FIELD_TEXT:
            snprintf(to, sizeof shown - used, " %s=%.*s", fields[i].name, (int)value->text.size,
                     value->text.data ? value->text.data : "");
            break;
        case SPIN_FIELD_NUMBER:
            snprintf(to, sizeof shown - used, " %s=%g", fields[i].name, value->number);
            break;
        default:
            snprintf(to, sizeof shown - used, " %s=%lld", fields[i].name, (long long)value->integer);
        }
    }
    fake_note("log %d %d %.*s%s", call ? 1 : 0, level, (int)size, text, shown);
    return SPIN_OK;
}

spin_metric fake_metrics_counter(const spin_host *host, const char *name, const char *help,
                                 const char *const *labels, size_t label_count) {
    (void)host;
    fake_note("counter %s %s %zu %s", name, help, label_count, label_count ? labels[1] : "");
    return 1;
}

spin_metric fake_metrics_histogram(const spin_host *host, const char *name, const char *help,
                                   const char *const *labels, size_t label_count, const double *bounds,
                                   size_t bound_count) {
    (void)host, (void)labels;
    fake_note("histogram %s %s %zu %zu %g", name, help, label_count, bound_count, bounds[bound_count - 1]);
    return 2;
}

spin_status fake_metrics_add(const spin_host *host, spin_metric metric, double amount) {
    (void)host;
    fake_note("add %d %g", (int)metric, amount);
    return SPIN_OK;
}

int64_t fake_clock_monotonic(const spin_host *host) { return (void)host, now; }

spin_timestamp fake_clock_wall(const spin_host *host) { return (void)host, 1000000 + now; }

static int64_t deadline(spin_call *call) { return (void)call, INT64_MAX; }

void *fake_arena_allocate(const spin_host *host, spin_call *call, size_t size) {
    (void)host;
    _Alignas(16) static char memory[64];
    return status_of(call) == SPIN_OK && size <= sizeof memory ? memory : NULL;
}

static const void *service(const spin_host *host, const char *id) {
    (void)host;
    return fake_has_services ? fake_service(id) : NULL;
}

const spin_host fake_host = {
    sizeof fake_host, SPIN_ABI_MAJOR, SPIN_ABI_MINOR, 0,         1,       NULL,      emit,
    finish,           fail,           cancelled,      on_cancel, service, emit_wait, deadline};
