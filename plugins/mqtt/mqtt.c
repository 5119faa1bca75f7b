// A client of an MQTT broker with libmosquitto. Each instance has one connection and one thread.
#include "client.h"
#include "settings.h"
#include "../common/instance/create.h"
#include <stdlib.h>

SPIN_PLUGIN("mqtt", "1.0.0");

static spin_self *create(spin_call *call, const spin_config *config) {
    struct place place = {0};
    spin_self *self = create_begin(call, settings_read(config, &place), sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    self->place = place;
    return create_end(call, self, client_init(self));
}

static void destroy(spin_self *self) {
    client_free(self);
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    char reason[512];
    const char *why = client_start(self, reason, sizeof reason);
    if (!why)
        return SPIN_OK;
    spin_fail(call, SPIN_FAILED, why);
    return SPIN_FAILED;
}

static void stop(spin_self *self) { client_stop(self); }
SPIN_LIFE(start, stop);

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    return hold_save(self, saving);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    if (saved->schema == 1 && hold_restore(self, saved->data, saved->data_size))
        return SPIN_OK;
    spin_fail(call, SPIN_BAD_VALUE, "the saved messages cannot be read");
    return SPIN_BAD_VALUE;
}
SPIN_SWAP(save, restore, 1);
