// Instances that break the rules for instances: one way for each value of SPIN_FORGETS, which the test
// defines.
#include <pthread.h>
#include <spinhost/plugin.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPIN_PLUGIN("forgets", "1.0.0");

enum {
    FORGETS_NOTHING,
    FORGETS_HALF,
    TRUSTS_BYTES,
    TRUSTS_SCHEMA,
    LEAVES_THREAD,
    FREES_TWICE,
    REFUSES,
    CRASHES,
    TRUSTS_SETTINGS,
    TRUSTS_TEXT
};
#ifndef SPIN_FORGETS
#define SPIN_FORGETS FORGETS_NOTHING
#endif

SPIN_CONFIG((int64_t, most, 4, 0, 1000000000, "The most."), (spin_secret, key, {}, "The key."));

struct spin_self {
    int64_t size;
    int64_t numbers[4];
};

static spin_self *create(spin_call *call, const spin_config *config) {
    (void)call, (void)config;
    spin_self *self = calloc(1, sizeof *self);
    if (self)
        self->size = 4;
    return self;
}

static void destroy(spin_self *self) {
    if (SPIN_FORGETS == FREES_TWICE)
        abort();
    free(self);
}
SPIN_INSTANCE(create, destroy);

static void *stay(void *context) {
    pause();
    return context;
}

static int64_t *volatile nothing;

static spin_status start(spin_call *call, spin_self *self) {
    pthread_t thread;
    self->numbers[0] = 7;
    if (SPIN_FORGETS == CRASHES)
        return (spin_status)*nothing;
    if (SPIN_FORGETS == LEAVES_THREAD)
        pthread_create(&thread, NULL, stay, NULL);
    return SPIN_FORGETS == REFUSES ? spin_fail(call, -3, "there is no device") : SPIN_OK;
}

static void stop(spin_self *self) { self->numbers[0] = 0; }
SPIN_LIFE(start, stop);

static spin_status reconfigure(spin_call *call, spin_self *self, const spin_config *before,
                               const spin_config *config) {
    (void)before;
    // A setting says how far away it writes.
    if (SPIN_FORGETS == TRUSTS_SETTINGS)
        self->numbers[config->most * 1024] = 7;
    if (SPIN_FORGETS == TRUSTS_TEXT)
        self->numbers[config->key.size << 20] = 7;
    return config->most > 4 ? spin_fail(call, -4, "that is too much") : SPIN_OK;
}
SPIN_RECONFIGURE(reconfigure);

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    return spin_write(saving, self, sizeof *self);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    (void)call;
    if (saved->schema != 1 && SPIN_FORGETS != TRUSTS_SCHEMA)
        return SPIN_BAD_VALUE;
    if (SPIN_FORGETS == FORGETS_HALF) {
        self->size = 2;
        return SPIN_OK;
    }
    if (SPIN_FORGETS == TRUSTS_BYTES) {
        // The saved number says how far it reads.
        int64_t size = saved->data_size < sizeof size ? 1 << 30 : *(const int64_t *)saved->data;
        volatile uint8_t sum = 0;
        for (int64_t i = 0; i < size; i++)
            sum += saved->data[i];
    }
    if (saved->data_size != sizeof *self)
        return SPIN_BAD_VALUE;
    memcpy(self, saved->data, sizeof *self);
    return SPIN_OK;
}
SPIN_SWAP(save, restore, 1);

static int64_t first(spin_self *self) { return self->numbers[0]; }
SPIN_EFFECT(int64_t, first, (spin_self * self), "The first number, 7 once it is started.");
