// Serial ports with termios. Each instance is one port, and has no thread: the host watches the device.
#include "instance.h"
#include "work.h"
#include "../common/instance/create.h"
#include "../common/process.h"
#include <stdlib.h>
#include <string.h>

SPIN_PLUGIN("serial", "1.0.0");

static const char *fault(const spin_config *config, struct mode *mode) {
    if (config->device.size == 0 || memchr(config->device.data, 0, config->device.size))
        return "setting `device`: it is not a path";
    return mode_parse(config, mode);
}

static spin_self *create(spin_call *call, const spin_config *config) {
    struct mode mode;
    spin_self *self = create_begin(call, fault(config, &mode), sizeof *self);
    if (!self)
        return NULL;
    self->config = config;
    self->port.mode = mode;
    self->port.device = self->port.owner = -1;
    self->writer.due = INT64_MAX;
    return create_end(call, self, engine_init(&self->engine, self, &work_kind));
}

static void destroy(spin_self *self) {
    engine_destroy(&self->engine);
    port_free(self);
    reader_free(&self->reader);
    free(self);
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *call, spin_self *self) {
    const char *reason = engine_open(&self->engine, spin_instance_call(call));
    if (reason)
        return spin_fail(call, SPIN_FAILED, reason), SPIN_FAILED;
    enum port_result result = port_start(self);
    if (result == PORT_MISSING) {
        spin_log(call, SPIN_LOG_WARNING, self->port.reason);
        self->port.due = spin_monotonic() + self->config->reopen;
    }
    reason = result == PORT_REFUSED ? self->port.reason : engine_start(&self->engine);
    if (!reason)
        return SPIN_OK;
    spin_fail(call, SPIN_FAILED, reason);
    work_end(self);
    if (result == PORT_OPEN)
        port_stop(self);
    return SPIN_FAILED;
}

static void stop(spin_self *self) {
    work_end(self);
    port_stop(self);
}
SPIN_LIFE(start, stop);

/* What an instance hands over to another one of the same process: the device, what it has read and not emitted, and how
 * much of a call it has written. The bytes that it has read follow. */
struct saved {
    char mark[8];
    struct process process;
    int32_t device, owner, has_begun, is_cut;
    struct termios2 before;
    int64_t dropped;
    uint64_t sent;
    char key[SPIN_RUN_KEY_SIZE];
};
static const char mark[8] = "serial 2";

static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
    (void)call;
    const struct reader *reader = &self->reader;
    struct saved saved = {.process = process_own(),
                          .device = self->port.device,
                          .owner = self->port.owner,
                          .has_begun = reader->has_begun,
                          .is_cut = reader->is_cut,
                          .before = self->port.before,
                          .dropped = reader->dropped,
                          .sent = self->writer.sent};
    memcpy(saved.mark, mark, sizeof mark);
    memcpy(saved.key, self->writer.key, sizeof saved.key);
    spin_status status = spin_write(saving, &saved, sizeof saved);
    size_t size = pieces_size(&reader->received);
    if (status == SPIN_OK && size > 0)
        status = spin_write(saving, reader->received.data + reader->received.start, size);
    return status;
}

static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
    struct saved found;
    if (saved->schema != 2 || saved->data_size < sizeof found || memcmp(saved->data, mark, sizeof mark) != 0)
        return spin_fail(call, SPIN_BAD_VALUE, "this is no serial port"), SPIN_BAD_VALUE;
    memcpy(&found, saved->data, sizeof found);
    if (found.dropped < 0 || !memchr(found.key, 0, sizeof found.key))
        return spin_fail(call, SPIN_BAD_VALUE, "this is no state of a serial port"), SPIN_BAD_VALUE;
    // After a restart, the device was closed meanwhile.
    if (!process_is_own(&found.process))
        return SPIN_OK;
    if (!pieces_add(&self->reader.received, (const char *)saved->data + sizeof found,
                    saved->data_size - sizeof found))
        return spin_fail(call, SPIN_NO_MEMORY, "no memory"), SPIN_NO_MEMORY;
    self->reader.has_begun = found.has_begun != 0;
    self->reader.is_cut = found.is_cut != 0;
    self->reader.dropped = found.dropped;
    self->writer.sent = found.sent;
    memcpy(self->writer.key, found.key, sizeof found.key);
    port_adopt(self, found.device, found.owner, &found.before);
    return SPIN_OK;
}
SPIN_SWAP(save, restore, 2);
