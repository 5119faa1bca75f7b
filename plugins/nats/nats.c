// A client of NATS servers. Each instance has one connection, and no thread: the host watches the socket.
#include "instance.h"
#include "settings.h"
#include "work.h"
#include "../common/instance/create.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

SPIN_PLUGIN("nats", "1.0.0");

static void free_all(spin_self *self) {
    keep_free(&self->keep);
    table_free(&self->table);
    scratch_free(&self->scratch);
    nkey_clear(&self->key);
    free(self->places);
    free(self->reasons);
    free(self);
}

static spin_self *create(spin_call *call, const spin_config *config) {
    spin_self *self = create_begin(call, NULL, sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    self->link.stream.socket = -1;
    char reason[most_reason];
    const char *why = settings_read(config, self, reason);
    if (!why && engine_init(&self->engine, self, &work_kind) != 0)
        why = "no lock can be made";
    if (!why)
        return self;
    free_all(self);
    spin_fail(call, SPIN_BAD_VALUE, why);
    return NULL;
}

static void destroy(spin_self *self) {
    engine_destroy(&self->engine);
    free_all(self);
}
SPIN_INSTANCE(create, destroy);

// Subjects for answers that no other client has.
static int make_inbox(spin_self *self) {
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return 0;
    snprintf(self->inbox, sizeof self->inbox, "%s.%016llx%016llx", self->config->inbox.data,
             (unsigned long long)random[0], (unsigned long long)random[1]);
    return 1;
}

static int needs_tls(const spin_self *self) {
    const spin_config *config = self->config;
    int needs = config->ca_file.size + config->certificate_file.size > 0;
    for (size_t i = 0; i < config->servers.count; i++)
        needs |= self->places[i].has_tls;
    return needs;
}

static spin_status start(spin_call *call, spin_self *self) {
    char reason[2 * most_reason];
    const char *why = make_inbox(self) ? NULL : "the system has no random numbers";
    if (!why && needs_tls(self))
        why = link_prepare_tls(self, reason, sizeof reason);
    if (!why)
        why = engine_open(&self->engine, spin_instance_call(call));
    if (!why) {
        link_begin(self);
        keep_begin(self);
        why = engine_start(&self->engine);
    }
    if (!why)
        return SPIN_OK;
    SSL_CTX_free(self->tls);
    self->tls = NULL;
    return spin_fail(call, SPIN_FAILED, why), SPIN_FAILED;
}

static void stop(spin_self *self) {
    work_end(self);
    SSL_CTX_free(self->tls);
    self->tls = NULL;
}
SPIN_LIFE(start, stop);

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    return keep_save(&self->keep, saving);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    if (saved->schema == 1 && keep_restore(&self->keep, saved->data, saved->data_size))
        return SPIN_OK;
    return spin_fail(call, SPIN_BAD_VALUE, "the saved messages cannot be read"), SPIN_BAD_VALUE;
}
SPIN_SWAP(save, restore, 1);
