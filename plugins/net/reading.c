#include "reading.h"
#include "emissions.h"
#include "instance.h"
#include "sending.h"
#include "../std/utf8.h"
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

/* How much it reads at once. */
enum { piece = 1 << 16 };

static spin_status emit_damaged(spin_self *self, struct connection *connection, int64_t bytes,
                                const char *why) {
    char name[address_size];
    return spin_wait_damaged(connection->source.endpoint->job->base.call,
                             connection_name(self, connection, name), bytes, text_of(why), 0);
}

// The text of a line; 0 without memory.
static int read_text(spin_self *self, spin_bytes line, spin_string *text) {
    *text = (spin_string){(const char *)line.data, line.size};
    if (utf8_valid(text->data, line.size) == line.size)
        return 1;
    char *memory = (char *)instance_memory(self, line.size * UTF8_REPAIRED_GROWTH);
    if (memory)
        *text = (spin_string){memory, utf8_repair(text->data, line.size, memory)};
    return memory != NULL;
}

static spin_status emit_frame(spin_self *self, struct connection *connection, const struct frame *frame) {
    const struct endpoint *endpoint = connection->source.endpoint;
    const struct pieces *received = &connection->received;
    spin_bytes bytes = {(const uint8_t *)received->data + received->start + frame->begin, frame->size};
    spin_string text = {"", 0};
    char name[address_size], reason[80];
    int is_line = endpoint->framing.kind == FRAMING_LINES;
    if (is_line && bytes.size > 0 && bytes.data[bytes.size - 1] == '\r')
        bytes.size--;
    int64_t size = connection->dropped + (int64_t)bytes.size;
    if (size > self->config->longest) {
        snprintf(reason, sizeof reason, "it is longer than %lld bytes (setting `longest`)",
                 (long long)self->config->longest);
        return emit_damaged(self, connection, size, reason);
    }
    if (is_line && !read_text(self, bytes, &text))
        return emit_damaged(self, connection, size, "there is no memory for it");
    return spin_wait_frame(endpoint->job->base.call, connection_name(self, connection, name), bytes, text, 0);
}

static void forget(struct connection *connection, uint64_t size) {
    struct pieces *received = &connection->received;
    size_t held = pieces_size(received), taken = size < held ? (size_t)size : held;
    connection->skip = size - taken;
    received->start += taken;
    received->searched = received->start;
}

// Says that so many bytes are no whole frame, if there are any; 0 if it cannot.
static int emit_lost(spin_self *self, struct connection *connection, int64_t bytes, const char *why) {
    if (bytes > 0 &&
        !endpoint_continues(connection->source.endpoint, emit_damaged(self, connection, bytes, why)))
        return 0;
    connection->dropped = 0;
    return 1;
}

void reading_reframe(struct connection *connection) {
    connection->received.searched = connection->received.start;
    connection->skip = 0;
    connection->is_reframed = connection->dropped > 0;
}

// Emits all that is whole; 0 if it cannot.
static int emit_frames(spin_self *self, struct connection *connection) {
    const struct framing *framing = &connection->source.endpoint->framing;
    size_t longest = (size_t)self->config->longest;
    struct frame frame;
    if (connection->is_reframed &&
        !emit_lost(self, connection, connection->dropped, "the framing has changed before its end"))
        return 0;
    connection->is_reframed = 0;
    if (connection->skip > 0)
        forget(connection, connection->skip);
    while (framing_find(framing, &connection->received, longest, 0, &frame)) {
        if (!endpoint_continues(connection->source.endpoint, emit_frame(self, connection, &frame)))
            return 0;
        connection->dropped = 0;
        forget(connection, frame.taken);
    }
    // A part of what ends a frame that is too long may have come.
    size_t held = pieces_size(&connection->received),
           kept = framing->end_size > 1 ? framing->end_size - 1 : 1;
    if (held > longest + longest_delimiter) {
        connection->dropped += (int64_t)(held - kept);
        forget(connection, held - kept);
    }
    return 1;
}

// What is left behind the last frame when nothing more comes.
static int emit_rest(spin_self *self, struct connection *connection) {
    if (!emit_lost(self, connection, connection->dropped + (int64_t)pieces_size(&connection->received),
                   "the connection was closed before its end"))
        return 0;
    pieces_clear(&connection->received);
    return 1;
}

static int emit_begin(spin_self *self, struct connection *connection) {
    struct endpoint *endpoint = connection->source.endpoint;
    char text[address_size];
    spin_string name = connection_name(self, connection, text), peer = text_of(connection->peer);
    spin_call *call = endpoint->job->base.call;
    connection->is_told =
        endpoint_continues(endpoint, endpoint->kind == JOB_CONNECT ? spin_wait_connected(call, name, peer, 0)
                                                                   : spin_wait_opened(call, name, peer, 0));
    return connection->is_told;
}

static int emit_end(spin_self *self, struct connection *connection) {
    struct endpoint *endpoint = connection->source.endpoint;
    char text[address_size];
    spin_call *call = endpoint->job->base.call;
    spin_string reason = text_of(connection->reason);
    return endpoint_continues(
        endpoint, endpoint->kind == JOB_CONNECT
                      ? spin_wait_lost(call, reason, 0)
                      : spin_wait_closed(call, connection_name(self, connection, text), reason, 0));
}

int reading_emit(spin_self *self, struct connection *connection) {
    struct endpoint *endpoint = connection->source.endpoint;
    if (!endpoint_can_emit(endpoint) || (!connection->is_told && !emit_begin(self, connection)))
        return 0;
    if (connection->is_closing) {
        pieces_clear(&connection->received);
    } else if (!emit_frames(self, connection) ||
               ((connection->has_ended || connection->is_over) && !emit_rest(self, connection))) {
        return 0;
    }
    if (connection->is_over) {
        if (!emit_end(self, connection))
            return 0;
        connection_remove(self, connection);
    }
    return 1;
}

int reading_wants(const struct connection *connection) {
    return !connection->has_ended &&
           (connection->is_closing || endpoint_can_emit(connection->source.endpoint));
}

// The peer sends no more. It still gets what is being sent, and one that has connected may wait for answers.
static void hear_end(spin_self *self, struct connection *connection, int is_dead) {
    connection->has_ended = 1;
    connection->active = spin_monotonic();
    int64_t due = connection_answer_due(self, connection);
    if (is_dead || connection->has_shut || due <= connection->active) {
        connection_end(self, connection, "the peer has closed it");
        return;
    }
    if (!connection->is_closing)
        connection->due = due;
    instance_come(self, connection->due);
    reading_emit(self, connection);
}

// Reads once; 0 if there is nothing more now.
static int read_once(spin_self *self, struct connection *connection, int is_dead) {
    uint8_t *memory = instance_memory(self, piece);
    ssize_t count = memory ? recv(connection->source.socket, memory, piece, 0) : 0;
    int error = count < 0 ? errno : 0;
    if (error == EAGAIN || error == EINTR)
        return 0;
    if (error)
        connection_end(self, connection, strerrordesc_np(error));
    else if (memory && count == 0)
        hear_end(self, connection, is_dead);
    else if (!memory || (!connection->is_closing &&
                         !pieces_add(&connection->received, (const char *)memory, (size_t)count)))
        connection_end(self, connection, "there is no memory for what comes");
    if (count <= 0)
        return 0;
    connection->active = spin_monotonic();
    if (!connection->is_closing && !connection->is_over)
        reading_emit(self, connection);
    return 1;
}

void reading_run(spin_self *self, struct connection *connection, int is_dead) {
    if (is_dead && connection->has_ended) {
        connection_end(self, connection, "the peer has closed it");
        return;
    }
    while (connection->source.socket >= 0 && reading_wants(connection) &&
           read_once(self, connection, is_dead) && is_dead) {
    }
    if (is_dead && !reading_wants(connection))
        source_hang(self, &connection->source);
}
