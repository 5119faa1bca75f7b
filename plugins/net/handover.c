#include "handover.h"
#include "accepted.h"
#include "instance.h"
#include "../common/process.h"
#include "../common/instance/rest.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct saved_head {
    char mark[8];
    struct process process;
    int32_t owner;
    uint32_t endpoints;
    char nonce[24];
};

struct saved_endpoint {
    int32_t kind, socket, is_untold, is_ending;
    uint32_t connections;
    uint64_t device, file;
    struct framing framing;
    char key[SPIN_RUN_KEY_SIZE], closed_by[SPIN_RUN_KEY_SIZE], address[address_size], reason[most_reason];
};

/* The bytes that were received follow. */
struct saved_connection {
    int32_t socket, is_told, is_over, has_ended, is_closing, has_shut, is_partial, is_reframed;
    uint64_t number, skip, sent, size;
    int64_t dropped, due;
    char key[SPIN_RUN_KEY_SIZE], peer[address_size], reason[most_reason];
};

static const char mark[8] = "net 2";

static spin_status save_connection(const struct connection *connection, spin_saving *saving) {
    struct saved_connection saved = {.socket = connection->source.socket,
                                     .is_told = connection->is_told,
                                     .is_over = connection->is_over,
                                     .has_ended = connection->has_ended,
                                     .is_closing = connection->is_closing,
                                     .has_shut = connection->has_shut,
                                     .is_partial = connection->is_partial,
                                     .is_reframed = connection->is_reframed,
                                     .number = connection->number,
                                     .skip = connection->skip,
                                     .sent = connection->sent,
                                     .size = pieces_size(&connection->received),
                                     .dropped = connection->dropped,
                                     .due = connection->due};
    memcpy(saved.key, connection->key, sizeof saved.key);
    memcpy(saved.peer, connection->peer, sizeof saved.peer);
    memcpy(saved.reason, connection->reason, sizeof saved.reason);
    spin_status status = spin_write(saving, &saved, sizeof saved);
    if (status == SPIN_OK && saved.size > 0)
        status =
            spin_write(saving, connection->received.data + connection->received.start, (size_t)saved.size);
    return status;
}

static spin_status save_endpoint(const struct endpoint *endpoint, spin_saving *saving) {
    struct saved_endpoint saved = {.kind = (int32_t)endpoint->kind,
                                   .socket = endpoint->source.socket,
                                   .is_untold = endpoint->is_untold,
                                   .is_ending = endpoint->is_ending,
                                   .device = endpoint->device,
                                   .file = endpoint->file,
                                   .framing = endpoint->framing};
    for (const struct connection *next = endpoint->first; next; next = next->next)
        saved.connections++;
    memcpy(saved.key, endpoint->key, sizeof saved.key);
    memcpy(saved.closed_by, endpoint->closed_by, sizeof saved.closed_by);
    memcpy(saved.address, endpoint->address.text, sizeof saved.address);
    memcpy(saved.reason, endpoint->reason, sizeof saved.reason);
    spin_status status = spin_write(saving, &saved, sizeof saved);
    for (const struct connection *next = endpoint->first; next && status == SPIN_OK; next = next->next)
        status = save_connection(next, saving);
    return status;
}

spin_status handover_save(spin_self *self, spin_saving *saving) {
    struct saved_head head = {.process = process_own(), .owner = self->owner};
    for (const struct endpoint *next = self->endpoints; next; next = next->next)
        head.endpoints++;
    memcpy(head.mark, mark, sizeof mark);
    memcpy(head.nonce, self->nonce, sizeof self->nonce);
    spin_status status = spin_write(saving, &head, sizeof head);
    for (const struct endpoint *next = self->endpoints; next && status == SPIN_OK; next = next->next)
        status = save_endpoint(next, saving);
    return status;
}

static const char strange[] = "this is no state of connections", no_memory[] = "no memory or file";

// A descriptor of this instance for the same socket; -1 without one.
static int copy(int socket) {
    struct stat found;
    return socket >= 0 && fstat(socket, &found) == 0 && S_ISSOCK(found.st_mode)
               ? fcntl(socket, F_DUPFD_CLOEXEC, 0)
               : -1;
}

static int is_text(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

static const char *restore_connection(spin_self *self, struct endpoint *endpoint, struct rest *rest) {
    struct saved_connection saved;
    if (!rest_copy(rest, &saved, sizeof saved) || rest->size < saved.size || saved.dropped < 0 ||
        !is_text(saved.key, sizeof saved.key) || !is_text(saved.peer, sizeof saved.peer) ||
        !is_text(saved.reason, sizeof saved.reason) || (saved.number > 0) != (endpoint->kind == JOB_LISTEN))
        return strange;
    int socket = saved.is_over ? -1 : copy(saved.socket);
    struct connection *connection =
        socket >= 0 || saved.is_over ? connection_make(self, endpoint, socket) : NULL;
    if (!connection) {
        if (socket >= 0)
            close(socket);
        return no_memory;
    }
    connection->is_told = saved.is_told;
    connection->is_over = saved.is_over;
    connection->has_ended = saved.has_ended;
    connection->is_closing = saved.is_closing;
    connection->has_shut = saved.has_shut;
    connection->is_partial = saved.is_partial;
    connection->is_reframed = saved.is_reframed;
    connection->number = saved.number;
    connection->skip = saved.skip;
    connection->sent = saved.sent;
    connection->dropped = saved.dropped;
    connection->due = saved.due;
    memcpy(connection->key, saved.key, sizeof saved.key);
    memcpy(connection->peer, saved.peer, sizeof saved.peer);
    memcpy(connection->reason, saved.reason, sizeof saved.reason);
    if ((saved.number > 0 && !accepted_add(self, connection)) ||
        !pieces_add(&connection->received, rest_take(rest, saved.size), (size_t)saved.size))
        return no_memory;
    return NULL;
}

static const char *restore_endpoint(spin_self *self, struct rest *rest) {
    struct saved_endpoint saved;
    struct address address;
    if (!rest_copy(rest, &saved, sizeof saved) || saved.kind < JOB_CONNECT || saved.kind > JOB_RECEIVE ||
        !is_text(saved.key, sizeof saved.key) || !is_text(saved.closed_by, sizeof saved.closed_by) ||
        !is_text(saved.address, sizeof saved.address) || !is_text(saved.reason, sizeof saved.reason) ||
        saved.framing.end_size > longest_delimiter || saved.framing.prefix_size > longest_prefix ||
        address_parse((spin_string){saved.address, strlen(saved.address)}, &address))
        return strange;
    struct endpoint *endpoint = endpoint_make(self);
    if (!endpoint)
        return no_memory;
    endpoint->kind = (enum job_kind)saved.kind;
    endpoint->address = address;
    endpoint->framing = saved.framing;
    endpoint->is_untold = saved.is_untold;
    endpoint->is_ending = saved.is_ending;
    endpoint->device = saved.device;
    endpoint->file = saved.file;
    memcpy(endpoint->key, saved.key, sizeof saved.key);
    memcpy(endpoint->closed_by, saved.closed_by, sizeof saved.closed_by);
    memcpy(endpoint->reason, saved.reason, sizeof saved.reason);
    endpoint->source.socket = copy(saved.socket);
    const char *reason = saved.socket >= 0 && endpoint->source.socket < 0 ? no_memory : NULL;
    for (uint32_t i = 0; i < saved.connections && !reason; i++)
        reason = restore_connection(self, endpoint, rest);
    return reason;
}

const char *handover_restore(spin_self *self, const spin_saved *saved) {
    struct saved_head head;
    struct rest rest = {saved->data, saved->data_size};
    if (saved->schema != HANDOVER_SCHEMA || !rest_copy(&rest, &head, sizeof head) ||
        memcmp(head.mark, mark, sizeof mark) != 0 || !is_text(head.nonce, sizeof self->nonce))
        return strange;
    // After a restart, all was closed meanwhile.
    if (!process_is_own(&head.process))
        return NULL;
    memcpy(self->nonce, head.nonce, sizeof self->nonce);
    self->owner = head.owner < 0 ? -1 : fcntl(head.owner, F_DUPFD_CLOEXEC, 0);
    const char *reason = head.owner >= 0 && self->owner < 0 ? no_memory : NULL;
    for (uint32_t i = 0; i < head.endpoints && !reason; i++)
        reason = restore_endpoint(self, &rest);
    return reason ? reason : rest.size > 0 ? strange : NULL;
}
