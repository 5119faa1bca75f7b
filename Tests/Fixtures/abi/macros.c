// Every macro of the header in every form, compiled as C11 and as C++17.
#include "macros_shared.h"
#include <stdbool.h>
#include <string.h>

SPIN_PLUGIN("macros", "1.2.3");

static int64_t step_toward(int64_t from, int64_t to) { return from < to ? from + 1 : from - 1; }
SPIN_EFFECT(int64_t, step_toward, (int64_t from, int64_t to), "One step from `from` toward `to`.");

static bool is_open(void) { return true; }
SPIN_EFFECT_CHECKED(bool, is_open, (void), "Whether it is open.", "!result");

static const char *greeting(const char *name) { return name; }
SPIN_EFFECT(const char *, greeting, (const char *name), "Says \"hello\" – and nothing else.");

SPIN_EMITTER(nothing);
SPIN_EMITTER(one, (double, value));
SPIN_EMITTER(two, (int8_t, tag), (spin_duration, wait));
SPIN_EMITTER(three, (uint16_t, a), (float, b), (spin_string, c));
SPIN_EMITTER(four, (int64_t, a), (int64_t, b), (int64_t, c), (int64_t, d));
SPIN_EMITTER(five, (int8_t, a), (int64_t, b), (int8_t, c), (int64_t, d), (int8_t, e));
SPIN_EMITTER(six, (int8_t, a), (int8_t, b), (int8_t, c), (int8_t, d), (int8_t, e), (int8_t, f));
SPIN_EMITTER(seven, (int8_t, a), (int8_t, b), (int8_t, c), (int8_t, d), (int8_t, e), (int8_t, f), (int64_t, g));
SPIN_EMITTER(eight, (int8_t, a), (const char *, b), (float, c), (double, d), (spin_string, e), (spin_bytes, f),
             (spin_timestamp, g), (uint64_t, h));

SPIN_RECORD(route, (spin_string, name), (spin_list_place, places), (spin_optional_place, last),
            (uint8_t, is_open));
SPIN_RECORD(single, (spin_list_route, routes));
SPIN_EMITTER(routed, (spin_list_route, routes), (spin_optional_double, length), (place, at));

SPIN_EMITTER(most, (int8_t, f0), (int8_t, f1), (int8_t, f2), (int8_t, f3), (int8_t, f4), (int8_t, f5), (int8_t, f6), (int8_t, f7), (int8_t, f8), (int8_t, f9), (int8_t, f10), (int8_t, f11), (int8_t, f12), (int8_t, f13), (int8_t, f14), (int8_t, f15), (int8_t, f16), (int8_t, f17), (int8_t, f18), (int8_t, f19), (int8_t, f20), (int8_t, f21), (int8_t, f22), (int8_t, f23), (int8_t, f24), (int8_t, f25), (int8_t, f26), (int8_t, f27), (int8_t, f28), (int8_t, f29), (int8_t, f30), (int8_t, f31), (int8_t, f32), (int8_t, f33), (int8_t, f34), (int8_t, f35), (int8_t, f36), (int8_t, f37), (int8_t, f38), (int8_t, f39), (int8_t, f40), (int8_t, f41), (int8_t, f42), (int8_t, f43), (int8_t, f44), (int8_t, f45), (int8_t, f46), (int8_t, f47), (int8_t, f48), (int8_t, f49), (int8_t, f50), (int8_t, f51), (int8_t, f52), (int8_t, f53), (int8_t, f54), (int8_t, f55), (int8_t, f56), (int8_t, f57), (int8_t, f58), (int8_t, f59), (int8_t, f60), (int8_t, f61), (int8_t, f62), (int8_t, f63));

// Emits one of each and answers with the last status that is not SPIN_OK.
static spin_status emit_all(spin_call *call) {
    const uint8_t bytes[] = {1, 2, 3};
    const spin_string text = {"text", 4};
    const spin_bytes data = {bytes, sizeof bytes};
    const place places[] = {{0.5, {1, 2, 3}}, {1.5, {4, 5, 6}}};
    const route routes[] = {{text, {places, 2}, {1, places[1]}, 1}};
    const spin_list_route list = {routes, 1};
    const spin_optional_double length = {1, 2.5};
    const spin_status statuses[] = {
        nothing(call),
        one(call, 0.5),
        two(call, -2, 3000),
        three(call, 65535, 1.5f, text),
        four(call, 1, 2, 3, 4),
        five(call, 1, 2, 3, 4, 5),
        six(call, 1, 2, 3, 4, 5, 6),
        seven(call, 1, 2, 3, 4, 5, 6, 7),
        eight(call, 1, "two", 3.5f, 4.5, text, data, 7, UINT64_MAX),
        most(call, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
             25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
             49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63),
        routed(call, list, length, places[0]),
        shared(call, 1),
        emit_from_second(call, 2),
    };
    spin_status answer = SPIN_OK;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i] != SPIN_OK)
            answer = statuses[i];
    return answer;
}
SPIN_EFFECT(spin_status, emit_all, (spin_call *call), "");

SPIN_CONFIG((spin_string, name, "unnamed\n", "What it is called."), (int32_t, rate, 9600, 300, 115200, "Baud."),
            (double, factor, -0.5, "A factor."), (spin_duration, wait, "5s", "1ms", "1h", "How long."),
            (uint64_t, limit, SPIN_REQUIRED, "No more."), (spin_list_string, paths, {}, ""),
            (int8_t, a, 1, ""), (int8_t, b, 2, ""), (int8_t, c, 3, ""), (int8_t, d, 4, ""), (int8_t, e, 5, ""),
            (int8_t, f, 6, ""), (int8_t, g, 7, ""), (int8_t, h, 8, ""), (int8_t, i, 9, ""), (int8_t, j, -10, ""), (int8_t, k0, 0, ""), (int8_t, k1, 1, ""), (int8_t, k2, 2, ""), (int8_t, k3, 3, ""), (int8_t, k4, 4, ""), (int8_t, k5, 5, ""), (int8_t, k6, 6, ""), (int8_t, k7, 7, ""), (int8_t, k8, 8, ""), (int8_t, k9, 9, ""), (int8_t, k10, 10, ""), (int8_t, k11, 11, ""), (int8_t, k12, 12, ""), (int8_t, k13, 13, ""), (int8_t, k14, 14, ""), (int8_t, k15, 15, ""), (int8_t, k16, 16, ""), (int8_t, k17, 17, ""), (int8_t, k18, 18, ""), (int8_t, k19, 19, ""), (int8_t, k20, 20, ""), (int8_t, k21, 21, ""), (int8_t, k22, 22, ""), (int8_t, k23, 23, ""), (int8_t, k24, 24, ""), (int8_t, k25, 25, ""), (int8_t, k26, 26, ""), (int8_t, k27, 27, ""), (int8_t, k28, 28, ""), (int8_t, k29, 29, ""), (int8_t, k30, 30, ""), (int8_t, k31, 31, ""), (int8_t, k32, 32, ""), (int8_t, k33, 33, ""), (int8_t, k34, 34, ""), (int8_t, k35, 35, ""), (int8_t, k36, 36, ""), (int8_t, k37, 37, ""), (int8_t, k38, 38, ""), (int8_t, k39, 39, ""), (int8_t, k40, 40, ""), (int8_t, k41, 41, ""), (int8_t, k42, 42, ""), (int8_t, k43, 43, ""), (int8_t, k44, 44, ""), (int8_t, k45, 45, ""), (int8_t, k46, 46, ""), (int8_t, k47, 47, ""));

struct spin_self {
    const spin_config *config;
    int64_t count;
};

static struct spin_self only;

static spin_self *create(spin_call *call, const spin_config *config) {
    if (!config) {
        spin_fail(call, SPIN_BAD_VALUE, "no settings");
        return NULL;
    }
    only.config = config;
    only.count = 0;
    return &only;
}

static void destroy(spin_self *self) { self->count = -1; }
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    spin_log(call, SPIN_LOG_INFO, "start");
    self->count = 1;
    return SPIN_OK;
}

static void stop(spin_self *self) { self->count = 0; }
SPIN_LIFE(start, stop);

#define MACROS_SCHEMA 7

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    return spin_write(saving, &self->count, sizeof self->count);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    if (saved->schema != MACROS_SCHEMA || saved->data_size != sizeof self->count) {
        spin_fail(call, SPIN_BAD_VALUE, saved->version);
        return SPIN_BAD_VALUE;
    }
    memcpy(&self->count, saved->data, sizeof self->count);
    return SPIN_OK;
}
SPIN_SWAP(save, restore, MACROS_SCHEMA);

static spin_status reconfigure(spin_call *call, spin_self *self, const spin_config *before,
                               const spin_config *config) {
    if (before == config)
        return spin_fail(call, SPIN_BAD_VALUE, "no change");
    self->config = config;
    return SPIN_OK;
}
SPIN_RECONFIGURE(reconfigure);

static int64_t count(spin_self *self, int64_t step) { return self->count += step; }
SPIN_EFFECT(int64_t, count, (spin_self *self, int64_t step), "Counts.");

static int64_t settle(spin_self *self) {
    const spin_config *config = self->config;
    return config->rate + (int64_t)config->limit + config->j + (int64_t)config->name.size;
}
SPIN_EFFECT(int64_t, settle, (spin_self *self), "What the settings come to.");

static void count_later(spin_call *call, spin_self *self, int32_t *worked);
SPIN_EFFECT(void, count_later, (spin_call *call, spin_self *self, int32_t *worked), "");

static void note_work(void *context) { *(int32_t *)context += 1; }

// Asks for memory, a thread and the deadline.
static void count_later(spin_call *call, spin_self *self, int32_t *worked) {
    int64_t *memory = (int64_t *)spin_call_alloc(call, sizeof *memory);
    if (memory)
        *memory = self->count;
    if (spin_work(note_work, worked) != SPIN_OK)
        spin_fail(call, SPIN_UNSUPPORTED, spin_deadline(call) == INT64_MAX ? "for ever" : "not for ever");
}

static void note_cancel(void *context) { *(int32_t *)context += 1; }

// Asks for everything else that the host offers.
static void use_host(spin_call *call, int32_t *cancellations) {
    if (spin_cancelled(call))
        spin_log(NULL, SPIN_LOG_WARNING, "cancelled");
    spin_log(call, SPIN_LOG_INFO, spin_monotonic() < spin_wall() ? "clocks" : "no clocks");
    if (spin_on_cancel(call, note_cancel, cancellations) != SPIN_OK)
        spin_log(call, SPIN_LOG_ERROR, "no cancellation");
    spin_log_with(call, SPIN_LOG_DEBUG, "fields", spin_field_text("host", "here"),
                  spin_field_text("none", NULL), spin_field_integer("port", -80),
                  spin_field_number("load", 0.5), spin_field_flag("is_up", 1));
    static const double bounds[] = {1, 2};
    spin_metric counter = spin_counter("c_total", "help", "a", "b", "c", "d");
    if (spin_histogram(bounds, 2, "h", "help") && !spin_gauge("g", "help"))
        spin_metric_add(counter, 2.5);
    if (spin_on_cancel(call, note_cancel, cancellations) == SPIN_FULL)
        spin_print("one function per call");
}
SPIN_EFFECT(void, use_host, (spin_call *call, int32_t *cancellations), "");

// What a constructor gets to hear: the host has not introduced itself yet.
static int32_t early[8];

__attribute__((constructor)) static void call_too_early(void) {
    early[0] = spin_current_host() != NULL;
    early[1] = nothing(NULL);
    early[2] = spin_finish(NULL);
    early[3] = spin_fail(NULL, SPIN_FAILED, "early");
    early[4] = spin_cancelled(NULL);
    early[5] = spin_on_cancel(NULL, note_cancel, NULL);
    early[6] = spin_log(NULL, SPIN_LOG_INFO, "early");
    early[7] = spin_service(SPIN_CLOCK_SERVICE) != NULL || spin_monotonic() != 0;
}

static int32_t heard_early(int32_t index) { return early[index]; }
SPIN_EFFECT(int32_t, heard_early, (int32_t index), "");
