// A plugin with everything that instances can have: settings, start and stop, and a state that they hand
// over. It prints each call, and fails, hangs or crashes where its settings say so.
#include <spinhost/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPIN_PLUGIN("sensor", "1.2.0");

SPIN_CONFIG((spin_string, name, "sensor", "What it prints itself as."),
            (int32_t, rate, 10, 1, 100, "Its step."), (spin_string, fails, "", "The function that fails."),
            (spin_string, hangs, "", "The function that hangs."),
            (spin_string, crashes, "", "The function that crashes."),
            (int32_t, gate, -1, "What a function that hangs reads from."),
            (spin_duration, wait, "5s", "1ms", "1h", "How long."), (spin_list_string, words, {}, "Some words."));

struct spin_self {
    const spin_config *config;
    int64_t count;
};

SPIN_EMITTER(counted, (int64_t, n));

static void say(const spin_config *config, const char *what) {
    char line[128];
    snprintf(line, sizeof line, "%s %s", what, config->name.data);
    spin_print(line);
}

static int *volatile nothing;

// Hangs or crashes if the settings say so of the function. Returns 1 if they say that it fails.
static int visit(const spin_config *config, const char *function) {
    char byte;
    say(config, function);
    if (strcmp(config->crashes.data, function) == 0)
        *nothing = 1;
    if (strcmp(config->hangs.data, function) == 0)
        while (read(config->gate, &byte, 1) > 0)
            ;
    return strcmp(config->fails.data, function) == 0;
}

static spin_self *create(spin_call *call, const spin_config *config) {
    spin_self *self = malloc(sizeof *self);
    if (!self || visit(config, "create")) {
        spin_fail(call, -9, "there is no device");
        free(self);
        return NULL;
    }
    self->config = config;
    self->count = 0;
    if (strcmp(config->fails.data, "both") == 0)
        spin_fail(call, -9, "made and failed");
    if (strcmp(config->fails.data, "nothing") == 0) {
        free(self);
        return NULL;
    }
    return self;
}

static void destroy(spin_self *self) {
    visit(self->config, "destroy");
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    if (visit(self->config, "start"))
        spin_fail(call, -10, "the device is taken");
    return strcmp(self->config->fails.data, "silently") == 0 ? -11 : SPIN_OK;
}

static void stop(spin_self *self) { visit(self->config, "stop"); }
SPIN_LIFE(start, stop);

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    if (visit(self->config, "save"))
        return SPIN_FAILED;
    if (strcmp(self->config->fails.data, "wild") == 0)
        return spin_write(saving, (const void *)16, 4);
    // In two parts, as for a larger state.
    spin_write(saving, &self->count, 4);
    return spin_write(saving, (const char *)&self->count + 4, 4);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    visit(self->config, "restore");
    if (saved->schema > 3)
        return spin_fail(call, SPIN_BAD_VALUE, "its schema is newer");
    if (saved->data_size != sizeof self->count)
        return SPIN_BAD_VALUE;
    memcpy(&self->count, saved->data, sizeof self->count);
    return SPIN_OK;
}
SPIN_SWAP(save, restore, 3);

// Adds the step.
static int64_t count(spin_self *self) { return self->count += self->config->rate; }
SPIN_EFFECT(int64_t, count, (spin_self *self), "The count, one step further.");

// Adds the given number of steps.
static int64_t count_by(spin_self *self, int32_t steps) { return self->count += steps * self->config->rate; }
SPIN_EFFECT(int64_t, count_by, (spin_self *self, int32_t steps), "The count, `steps` further.");

static int64_t count_words(spin_self *self) {
    int64_t size = 0;
    for (size_t i = 0; i < self->config->words.count; i++)
        size += (int64_t)self->config->words.items[i].size;
    return size;
}
SPIN_EFFECT(int64_t, count_words, (spin_self *self), "The bytes of all words.");

struct job {
    spin_call *call;
    spin_self *self;
};

static void work(void *context) {
    struct job *job = context;
    visit(job->self->config, "work");
    counted(job->call, job->self->count);
    spin_finish(job->call);
    free(job);
}

// The same on a thread of the host. The job does not belong to the call: it continues after a cancellation.
static void count_later(spin_call *call, spin_self *self) {
    struct job *job = malloc(sizeof *job);
    if (!job) {
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return;
    }
    job->call = call;
    job->self = self;
    count(self);
    spin_status status = spin_work(work, job);
    if (status != SPIN_OK) {
        spin_fail(call, status, "no thread");
        free(job);
    }
}
SPIN_EFFECT(void, count_later, (spin_call *call, spin_self *self), "Emits `counted`.");

static void work_alone(void *context) { visit(context, "work"); }

// Leaves work on a thread of the host that belongs to no call.
static int32_t work_on(spin_self *self) { return spin_work(work_alone, (void *)self->config); }
SPIN_EFFECT(int32_t, work_on, (spin_self *self), "");

// The time that the call may take by the host's clock, computed in memory of the call.
static void time_left(spin_call *call) {
    int64_t *left = spin_call_alloc(call, sizeof *left);
    int64_t deadline = spin_deadline(call);
    *left = deadline == INT64_MAX ? -1 : deadline - spin_monotonic();
    counted(call, *left);
    spin_finish(call);
    if (spin_call_alloc(call, 1))
        spin_print("memory for a call that is over");
}
SPIN_EFFECT(void, time_left, (spin_call *call), "Emits `counted`.");
