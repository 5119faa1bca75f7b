// TCP, UDP and local sockets. Each instance is a set of them, and has no thread: the host watches the sockets.
#include "handover.h"
#include "instance.h"
#include "listening.h"
#include "work.h"
#include "../common/instance/create.h"
#include "../common/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

SPIN_PLUGIN("net", "1.0.0");

static spin_self *create(spin_call *call, const spin_config *config) {
    const char *reason = config->reconnect_least > config->reconnect_most
                             ? "setting `reconnect_least`: it is greater than `reconnect_most`"
                             : NULL;
    spin_self *self = create_begin(call, reason, sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    self->owner = -1;
    return create_end(call, self, engine_init(&self->engine, self, &work_kind));
}

// Frees all that is open. Another instance keeps its own descriptors, unless this one is the last to use the sockets.
static void free_all(spin_self *self, int is_last) {
    for (struct endpoint *endpoint; (endpoint = self->endpoints);) {
        for (struct connection *next = endpoint->first; is_last && next; next = next->next)
            source_end(self, &next->source);
        if (is_last && endpoint->kind != JOB_CONNECT)
            listening_close(self, endpoint);
        self->endpoints = endpoint->next;
        endpoint_free(self, endpoint);
    }
    self->accepted_count = 0;
}

static void destroy(spin_self *self) {
    eventfd_t one;
    engine_destroy(&self->engine);
    free_all(self, self->has_started && eventfd_read(self->owner, &one) == 0);
    if (self->owner >= 0)
        close(self->owner);
    free(self->accepted);
    free(self->memory);
    free(self);
}
SPIN_INSTANCE(create, destroy);

// Makes the names of connections differ from all others: those of other apps by the nonce, and those of versions that
// the host takes back by the number.
static void name(spin_self *self) {
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        random[0] = random[1] = (uint64_t)spin_monotonic() * 0x9E3779B97F4A7C15u;
    if (!self->nonce[0])
        snprintf(self->nonce, sizeof self->nonce, "%016llx", (unsigned long long)random[0]);
    self->number = (random[1] >> 24 << 20) + 1;
}

static spin_status start(spin_call *call, spin_self *self) {
    eventfd_t one;
    if (self->owner >= 0 && eventfd_read(self->owner, &one) != 0) { // Another instance uses the sockets.
        free_all(self, 0);
        close(self->owner);
        self->owner = -1;
    }
    if (self->owner < 0)
        self->owner = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    name(self);
    const char *reason = self->owner >= 0 ? engine_open(&self->engine, spin_instance_call(call))
                                          : "no more files can be opened";
    if (!reason) {
        work_begin(self);
        reason = engine_start(&self->engine);
    }
    self->has_started |= !reason;
    if (reason && self->owner >= 0)
        eventfd_write(self->owner, 1);
    return engine_outcome(call, SPIN_FAILED, reason);
}

static void stop(spin_self *self) {
    work_end(self);
    // The sockets of a worker cannot be handed over. Peers would not hear of the end until the worker ends, and the
    // next version could not listen.
    if (process_is_worker())
        free_all(self, 1);
    eventfd_write(self->owner, 1);
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
