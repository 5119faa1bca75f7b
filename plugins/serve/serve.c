// A server for HTTP with libmicrohttpd. Each instance has one socket and one thread.
#include "serve.h"
#include "../common/instance/create.h"
#include "../common/process.h"
#include "listening.h"
#include "server.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_PLUGIN("serve", "1.0.0");

static int has_nul(spin_string text) { return memchr(text.data, 0, text.size) != NULL; }

static const char *fault(const spin_config *config) {
    if (!listening_is_valid(config->listen))
        return "setting `listen`: it is no `ADDRESS:PORT`, such as `127.0.0.1:8080`, `[::1]:8080` or "
               "`*:8080`";
    if (has_nul(config->files))
        return "setting `files`: it is not the name of a folder";
    if (has_nul(config->certificate_file) || has_nul(config->key_file) ||
        !config->certificate_file.size != !config->key_file.size)
        return "settings `certificate_file` and `key_file`: both must name a file, or neither";
    return NULL;
}

static spin_self *create(spin_call *call, const spin_config *config) {
    spin_self *self = create_begin(call, fault(config), sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    return create_end(call, self, server_init(self));
}

static void destroy(spin_self *self) {
    server_free(self);
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    char reason[reason_size];
    const char *why = server_start(self, reason, sizeof reason);
    if (why) {
        spin_fail(call, SPIN_FAILED, why);
        return SPIN_FAILED;
    }
    char name[96], line[128];
    listening_name(self->listening, name, sizeof name);
    snprintf(line, sizeof line, "listens at %s://%s", self->certificates.newest ? "https" : "http", name);
    spin_log(call, SPIN_LOG_INFO, line);
    return SPIN_OK;
}

static void stop(spin_self *self) { server_stop(self); }
SPIN_LIFE(start, stop);

/* What an instance hands over: the socket that listens, to another one of the same process. */
struct saved {
    char mark[8];
    struct process process;
    int32_t socket;
};
static const char mark[8] = "socket 2";

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    struct saved saved = {.process = process_own(), .socket = self->listening};
    memcpy(saved.mark, mark, sizeof mark);
    return spin_write(saving, &saved, sizeof saved);
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    struct saved found;
    if (saved->schema != 2 || saved->data_size != sizeof found ||
        memcmp(saved->data, mark, sizeof mark) != 0) {
        spin_fail(call, SPIN_BAD_VALUE, "this is no socket that listens");
        return SPIN_BAD_VALUE;
    }
    memcpy(&found, saved->data, sizeof found);
    // After a restart, the socket of the last process is gone.
    if (process_is_own(&found.process))
        listening_adopt(self, found.socket);
    return SPIN_OK;
}
SPIN_SWAP(save, restore, 2);
