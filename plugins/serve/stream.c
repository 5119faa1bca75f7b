#include "stream.h"
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

void stream_drop(struct stream *stream) {
    if (--stream->holders > 0)
        return;
    spin_self *self = stream->self;
    free(stream->opening);
    free(stream->bytes);
    free(stream);
    self->call_count--;
    pthread_cond_broadcast(&self->changed);
}

void stream_free(void *context) {
    struct stream *stream = context;
    spin_self *self = stream->self;
    pthread_mutex_lock(&self->turn);
    stream_drop(stream);
    pthread_mutex_unlock(&self->turn);
}

static void end_call(spin_self *self, struct ending *ending, enum message message) {
    ending->message = message;
    ending->next = NULL;
    *self->last_ending = ending;
    self->last_ending = &ending->next;
    server_ring(self);
}

static void end_deliveries(struct stream *stream, enum message message) {
    struct ending *oldest = NULL;
    for (struct ending *next; (next = stream->deliveries);) {
        stream->deliveries = next->next;
        next->next = oldest;
        oldest = next;
    }
    for (struct ending *next; oldest; oldest = next) {
        next = oldest->next;
        end_call(stream->self, oldest, message);
    }
}

static void resume(struct stream *stream) {
    if (!stream->is_suspended)
        return;
    stream->is_suspended = 0;
    MHD_resume_connection(stream->exchange->connection);
    server_ring(stream->self);
}

static void forget_parts(struct stream *stream) {
    free(stream->bytes);
    stream->bytes = NULL;
    stream->begin = stream->end = stream->capacity = 0;
}

void stream_cut(struct stream *stream, const char *reason) {
    if (stream->is_cut)
        return;
    stream->is_cut = 1;
    stream->reason = reason;
    forget_parts(stream);
    if (!stream->exchange)
        return;
    // The connection may wait for its client, and would not ask for a part.
    shutdown(stream->socket, SHUT_RDWR);
    resume(stream);
}

// Makes room for so many bytes behind the parts that wait; 0 without memory.
static int make_room(struct stream *stream, size_t size) {
    size_t waits = stream->end - stream->begin;
    if (stream->capacity - stream->end >= size)
        return 1;
    if (stream->begin > 0) {
        memmove(stream->bytes, stream->bytes + stream->begin, waits);
        stream->begin = 0;
        stream->end = waits;
    }
    if (stream->capacity - waits >= size)
        return 1;
    size_t needed = waits + size, most = (size_t)stream->self->config->largest_backlog;
    size_t capacity = waits > 0 ? needed * 2 : needed;
    if (capacity > most)
        capacity = needed > most ? needed : most;
    char *bytes = realloc(stream->bytes, capacity);
    if (!bytes)
        return 0;
    stream->bytes = bytes;
    stream->capacity = capacity;
    return 1;
}

void stream_add(struct stream *stream, spin_bytes part) {
    size_t waits = stream->end - stream->begin;
    if (stream->is_finished || stream->is_cut || part.size == 0)
        return;
    if ((waits > 0 && waits + part.size > (size_t)stream->self->config->largest_backlog) ||
        !make_room(stream, part.size)) {
        stream_cut(stream, "slow");
        return;
    }
    memcpy(stream->bytes + stream->end, part.data, part.size);
    stream->end += part.size;
    resume(stream);
}

void stream_deliver(struct stream *stream, spin_bytes part, struct ending *ending) {
    int is_open = !stream->is_finished && !stream->is_cut;
    stream_add(stream, part);
    if (is_open && stream->end > stream->begin) {
        ending->next = stream->deliveries;
        stream->deliveries = ending;
    } else {
        end_call(stream->self, ending, is_open && !stream->is_cut ? MESSAGE_DELIVERED : MESSAGE_NOTHING);
    }
}

void stream_finish(struct stream *stream) {
    stream->is_finished = 1;
    resume(stream);
}

ssize_t stream_read(void *context, uint64_t position, char *data, size_t size) {
    (void)position;
    struct stream *stream = context;
    pthread_mutex_lock(&stream->self->turn);
    size_t waits = stream->end - stream->begin;
    ssize_t result = (ssize_t)(waits < size ? waits : size);
    if (stream->is_cut) {
        result = MHD_CONTENT_READER_END_WITH_ERROR;
    } else if (result > 0) {
        memcpy(data, stream->bytes + stream->begin, (size_t)result);
        stream->begin += (size_t)result;
        if (stream->begin == stream->end) {
            forget_parts(stream);
            end_deliveries(stream, MESSAGE_DELIVERED);
        }
    } else if (stream->is_finished) {
        result = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        stream->is_suspended = 1;
        MHD_suspend_connection(stream->exchange->connection);
    }
    pthread_mutex_unlock(&stream->self->turn);
    return result;
}

void stream_over(struct exchange *exchange, int is_whole) {
    struct stream *stream = exchange->stream;
    epoll_ctl(stream->self->leaving, EPOLL_CTL_DEL, stream->socket, NULL);
    stream->exchange = NULL;
    stream->is_suspended = 0;
    // The call may wait for room in the mailbox, as long as the loop likes.
    forget_parts(stream);
    end_deliveries(stream, MESSAGE_NOTHING);
    stream->opening->reason = stream->reason ? stream->reason : is_whole ? "finished" : "closed";
    end_call(stream->self, stream->opening, MESSAGE_ENDED);
    stream->opening = NULL;
}
