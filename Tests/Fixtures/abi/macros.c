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

// Emits one of each and answers with the last status that is not SPIN_OK.
static spin_status emit_all(spin_call *call) {
    const uint8_t bytes[] = {1, 2, 3};
    const spin_string text = {"text", 4};
    const spin_bytes data = {bytes, sizeof bytes};
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
            (uint64_t, limit, SPIN_REQUIRED, "No more."), (spin_strings, paths, {}, ""),
            (int8_t, a, 1, ""), (int8_t, b, 2, ""), (int8_t, c, 3, ""), (int8_t, d, 4, ""), (int8_t, e, 5, ""),
            (int8_t, f, 6, ""), (int8_t, g, 7, ""), (int8_t, h, 8, ""), (int8_t, i, 9, ""), (int8_t, j, -10, ""));

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
