// Files and folders with inotify. Each instance runs its calls one after the other; each watch runs by itself.
#include "instance.h"
#include "../common/instance/create.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SPIN_PLUGIN("files", "1.0.0");

static spin_self *create(spin_call *call, const spin_config *config) {
    int has_nul = memchr(config->root.data, 0, config->root.size) != NULL;
    spin_self *self = create_begin(call, has_nul ? "setting `root`: it is not a path" : NULL, sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    self->place.root = AT_FDCWD;
    int error = queue_init(&self->queue);
    if (!error)
        error = progresses_init(&self->progresses);
    return create_end(call, self, error);
}

static void destroy(spin_self *self) {
    // Only now, as a watch may look into it until the host has waited for its work.
    place_free(&self->place);
    queue_free(&self->queue);
    once_free(&self->done);
    progresses_free(&self->progresses);
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    struct problem problem;
    if (place_init(&self->place, self->config, &problem))
        return SPIN_OK;
    char *text;
    if (asprintf(&text, "setting `root`: cannot open `%s`: %s", self->config->root.data, problem.reason) < 0)
        return spin_fail(call, -problem.error, problem.reason), SPIN_FAILED;
    spin_fail(call, -problem.error, text);
    free(text);
    return SPIN_FAILED;
}

// After this, no call of the instance changes a file, so that the next instance can.
static void stop(spin_self *self) { queue_finish(&self->queue); }
SPIN_LIFE(start, stop);

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    spin_status status = once_save(&self->done, saving);
    return status == SPIN_OK ? progresses_save(&self->progresses, saving) : status;
}

// Schema 1 had the key of the last run that has changed a file, and schema 2 has a line for each run.
static spin_status restore_lines(spin_self *self, const spin_saved *saved) {
    const char *line = (const char *)saved->data;
    if (saved->schema == 1)
        return saved->data_size > 0 ? once_restore(&self->done, line, saved->data_size) : SPIN_OK;
    spin_status status = saved->schema == 2 ? SPIN_OK : SPIN_BAD_VALUE;
    for (size_t left = saved->data_size; left > 0 && status == SPIN_OK;) {
        const char *end = memchr(line, '\n', left);
        if (!end)
            return SPIN_BAD_VALUE;
        size_t size = (size_t)(end - line);
        status = memchr(line, ' ', size) ? progresses_restore(&self->progresses, line, size)
                                         : once_restore(&self->done, line, size);
        left -= size + 1;
        line = end + 1;
    }
    return status;
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    spin_status status = restore_lines(self, saved);
    if (status != SPIN_OK)
        spin_fail(call, status, status == SPIN_NO_MEMORY ? "no memory" : "these are not the keys of runs");
    return status;
}
SPIN_SWAP(save, restore, 2);
