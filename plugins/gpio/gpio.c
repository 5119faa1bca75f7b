// Lines of GPIO chips. Each instance has lines of one chip, and no thread: the host watches them.
#include "../common/process.h"
#include "lines/change.h"
#include "lines/handover.h"
#include "instance.h"
#include "settings.h"
#include "work.h"
#include "../common/instance/create.h"
#include <stdlib.h>

SPIN_PLUGIN("gpio", "1.0.0");

static spin_self *create(spin_call *call, const spin_config *config) {
    char reason[most_reason];
    spin_self *self = create_begin(call, settings_fault(config, reason), sizeof *self);
    if (!self)
        return NULL;
    if (!outputs_make(self, config, &self->outputs)) {
        sources_bury(self);
        free(self);
        spin_fail(call, SPIN_NO_MEMORY, "no memory");
        return NULL;
    }
    self->config = config;
    self->chip.source.descriptor = self->parcel.in = self->parcel.out = -1;
    self->chip.due = INT64_MAX;
    int error = pthread_mutex_init(&self->turn, NULL);
    if (!error) {
        error = engine_init(&self->engine, self, &work_kind);
        if (!error)
            return self;
        pthread_mutex_destroy(&self->turn);
    }
    outputs_free(self, self->outputs);
    sources_bury(self);
    return create_end(call, self, error);
}

static void destroy(spin_self *self) {
    engine_destroy(&self->engine);
    watches_free(self);
    outputs_free(self, self->outputs);
    sources_bury(self);
    chip_close(self);
    parcel_close(&self->parcel);
    pthread_mutex_destroy(&self->turn);
    free(self);
}
SPIN_INSTANCE(create, destroy);

// Opens the chip and takes the lines; what is missing is due later. NULL, or why the settings do not fit them.
static const char *begin(spin_call *call, spin_self *self) {
    // The version that ran meanwhile may have set the outputs. It may have said how.
    for (struct output *output = self->outputs; output; output = output->next)
        output->follows = self->has_started;
    enum result result = chip_open(self);
    if (result == REFUSED)
        return self->chip.reason;
    self->chip.due = INT64_MAX;
    if (result == MISSING) {
        spin_log(call, SPIN_LOG_WARNING, self->chip.reason);
        self->chip.due = spin_monotonic() + self->config->reopen;
        return NULL;
    }
    if (!change_held(self, self->chip.reason) || outputs_take(self) == REFUSED)
        return self->chip.reason;
    return NULL;
}

static spin_status start(spin_call *call, spin_self *self) {
    const char *reason = engine_open(&self->engine, spin_instance_call(call));
    if (reason)
        return spin_fail(call, SPIN_FAILED, reason), SPIN_FAILED;
    if (self->parcel.in < 0 && !process_is_worker() && !parcel_open(&self->parcel))
        reason = "no more files can be opened";
    if (!reason)
        reason = begin(call, self);
    if (!reason)
        reason = engine_start(&self->engine);
    self->has_started |= !reason;
    if (!reason)
        return SPIN_OK;
    spin_fail(call, SPIN_FAILED, reason);
    work_end(self);
    handover_give(self);
    return SPIN_FAILED;
}

static void stop(spin_self *self) {
    work_end(self);
    handover_give(self);
}
SPIN_LIFE(start, stop);

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    return handover_save(self, saving);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    return engine_outcome(call, SPIN_BAD_VALUE, handover_restore(self, saved));
}
SPIN_SWAP(save, restore, HANDOVER_SCHEMA);

static spin_status reconfigure(spin_call *call, spin_self *self, const spin_config *before,
                               const spin_config *config) {
    char reason[most_reason];
    (void)before;
    pthread_mutex_lock(&self->turn);
    bool is_accepted = change_settings(self, config, reason);
    pthread_mutex_unlock(&self->turn);
    if (!is_accepted)
        return spin_fail(call, SPIN_FAILED, reason), SPIN_FAILED;
    engine_ring(&self->engine);
    return SPIN_OK;
}
SPIN_RECONFIGURE(reconfigure);
