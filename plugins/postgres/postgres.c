// Databases of PostgreSQL, by libpq. Each instance is a set of connections, and has no thread: the host watches them.
#include "postgres.h"
#include "instance.h"
#include "work.h"
#include "../common/instance/create.h"
#include <stdlib.h>

SPIN_PLUGIN("postgres", "1.0.0");

static spin_self *fail(spin_call *call, spin_self *self, spin_status code, const char *reason) {
    server_free(&self->server);
    pool_free(&self->pool);
    free(self);
    spin_fail(call, code, reason);
    return NULL;
}

static spin_self *create(spin_call *call, const spin_config *config) {
    spin_self *self = create_begin(call, NULL, sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    const char *why = server_read(config, &self->server);
    if (why)
        return fail(call, self, SPIN_BAD_VALUE, why);
    listener_init(&self->listener, self);
    if (!pool_init(&self->pool, self))
        return fail(call, self, SPIN_NO_MEMORY, "no memory");
    int error = engine_init(&self->engine, self, &work_kind);
    return error ? fail(call, self, -error, "no lock can be made") : self;
}

static void destroy(spin_self *self) {
    engine_destroy(&self->engine);
    server_free(&self->server);
    pool_free(&self->pool);
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    const char *reason = engine_open(&self->engine, spin_instance_call(call));
    if (!reason)
        reason = engine_start(&self->engine);
    return engine_outcome(call, SPIN_FAILED, reason);
}

static void stop(spin_self *self) { work_end(self); }
SPIN_LIFE(start, stop);
