// A client of a Redis server with hiredis. It has no thread: the host watches its connections.
#include "handover.h"
#include "instance.h"
#include "stream/stream.h"
#include "work.h"
#include "../common/instance/create.h"
#include <stdlib.h>
#include <string.h>

SPIN_PLUGIN("redis", "1.0.0");

/* A shorter time would have two consumers take entries from each other without end. */
static const int64_t shortest_claim = 10000000;

static int has_nul(spin_string text) { return memchr(text.data, 0, text.size) != NULL; }

static const char *fault(const spin_config *config, struct server *server) {
    if (has_nul(config->user))
        return "setting `user`: it has a NUL character";
    if (has_nul(config->password))
        return "setting `password`: it has a NUL character";
    if (config->claim_after > 0 && config->claim_after < shortest_claim)
        return "setting `claim_after`: it is less than 10 ms, and not 0";
    if (config->reconnect_least > config->reconnect_most)
        return "setting `reconnect_least`: it is greater than `reconnect_most`";
    return server_read(config->server, server);
}

static spin_self *create(spin_call *call, const spin_config *config) {
    struct server server;
    spin_self *self = create_begin(call, fault(config, &server), sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    self->server = server;
    commands_init(self);
    return create_end(call, self, engine_init(&self->engine, self, &work_kind));
}

static void destroy(spin_self *self) {
    engine_destroy(&self->engine);
    streams_free(self);
    link_free(&self->commands.link);
    unsure_free(&self->unsure);
    unsure_free(&self->earlier);
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    const char *reason = engine_open(&self->engine, spin_instance_call(call));
    if (!reason) {
        work_begin(self);
        reason = engine_start(&self->engine);
    }
    return engine_outcome(call, SPIN_FAILED, reason);
}

static void stop(spin_self *self) { work_end(self); }
SPIN_LIFE(start, stop);

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    return handover_save(self, saving);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    return engine_outcome(call, SPIN_BAD_VALUE, handover_restore(self, saved));
}
SPIN_SWAP(save, restore, HANDOVER_SCHEMA);
