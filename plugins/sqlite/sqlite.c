// Databases with libsqlite3. Each instance is one connection to one file, and one thread that uses it.
#include "instance.h"
#include "../common/instance/create.h"
#include <stdlib.h>
#include <string.h>

SPIN_PLUGIN("sqlite", "1.0.0");

// SQLite knows names that are no files: they begin with a colon, or are empty. A name that begins with `file:` may have
// options, which could turn locks off.
static const char *fault(const spin_config *config) {
    const char *file = config->file.data, *mode = config->mode.data;
    if (config->file.size == 0 || *file == ':' || strncmp(file, "file:", 5) == 0 ||
        memchr(file, 0, config->file.size))
        return "setting `file`: it is not the name of a file";
    if (strcmp(mode, "create") != 0 && strcmp(mode, "write") != 0 && strcmp(mode, "read") != 0)
        return "setting `mode`: it is not `create`, `write` or `read`";
    if (memchr(config->schema.data, 0, config->schema.size))
        return "setting `schema`: it has a NUL character";
    if (config->schema.size > 0 && strcmp(mode, "read") == 0)
        return "setting `schema`: it is not possible with the mode `read`";
    return NULL;
}

static spin_self *create(spin_call *call, const spin_config *config) {
    spin_self *self = create_begin(call, fault(config), sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    return create_end(call, self, engine_init(&self->engine));
}

static void destroy(spin_self *self) {
    engine_destroy(&self->engine);
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    struct problem problem;
    if (!connection_open(self, &problem)) {
        struct problem shown;
        problem_set(&shown, problem.code, "cannot open `%s`: %s", self->config->file.data, problem.text);
        return spin_fail(call, -shown.code, shown.text), SPIN_FAILED;
    }
    if (!engine_start(self))
        return SPIN_OK;
    connection_close(&self->connection);
    return spin_fail(call, SPIN_FAILED, "no thread can be started"), SPIN_FAILED;
}

static void stop(spin_self *self) {
    engine_stop(self);
    connection_close(&self->connection);
}
SPIN_LIFE(start, stop);
