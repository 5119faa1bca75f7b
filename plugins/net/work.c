#include "work.h"
#include "connecting.h"
#include "datagram.h"
#include "instance.h"
#include "listening.h"
#include "sending.h"
#include <stdlib.h>
#include <string.h>

/* How long the host may take after the start until it makes the calls again that it has cancelled in a swap. */
static const int64_t longest_start = 5000000000;

void instance_come(spin_self *self, int64_t due) {
    if (due < self->due)
        self->due = due;
}

uint8_t *instance_memory(spin_self *self, size_t size) {
    if (self->capacity >= size)
        return self->memory;
    uint8_t *grown = realloc(self->memory, size);
    if (!grown)
        return NULL;
    self->memory = grown;
    self->capacity = size;
    return grown;
}

static void close_once(spin_self *self, struct job *job) {
    const char *why;
    struct connection *connection = connection_find(self, job->name, &why);
    char *closed_by = connection ? connection->source.endpoint->closed_by : NULL;
    // The host makes a call again in a swap, also one that has closed the connection before the next one was made.
    if (connection && (!job->base.key[0] || strcmp(job->base.key, closed_by) != 0)) {
        memcpy(closed_by, job->base.key, sizeof job->base.key);
        connection_close(self, connection);
    }
    engine_call_finish(&job->base); // Also if it is over already, as the peer may close it at any time.
}

static void take(spin_self *self, struct lasting *lasting) {
    struct job *job = (struct job *)lasting;
    switch (job->kind) {
    case JOB_SEND:
        sending_take(self, job);
        break;
    case JOB_SEND_TO:
        datagram_send(self, job);
        break;
    case JOB_CLOSE:
        close_once(self, job);
        break;
    default:
        endpoint_take(self, job);
    }
}

static void sweep(spin_self *self) {
    for (struct endpoint *endpoint = self->endpoints; endpoint; endpoint = endpoint->next) {
        for (struct connection *next, *connection = endpoint->first; connection; connection = next) {
            next = connection->next;
            if (connection->first)
                sending_sweep(self, connection);
            connection_watch(self, connection);
        }
        if (endpoint->job && engine_call_is_over(&endpoint->job->base))
            endpoint_leave(self, endpoint);
    }
}

static void check(spin_self *self) {
    int64_t now = spin_monotonic();
    if (now < self->due)
        return;
    self->due = INT64_MAX;
    for (struct endpoint *endpoint = self->endpoints; endpoint; endpoint = endpoint->next)
        endpoint_check(self, endpoint, now);
}

void work_bury(spin_self *self) {
    for (struct connection *connection; (connection = self->dead);) {
        self->dead = connection->next_dead;
        connection_free(self, connection);
    }
    for (struct endpoint *endpoint; (endpoint = self->dead_endpoints);) {
        self->dead_endpoints = endpoint->next;
        endpoint_free(self, endpoint);
    }
}

static int64_t step(spin_self *self, const struct epoll_event *events, int count, int has_ends) {
    if (has_ends)
        sweep(self);
    for (int i = 0; i < count; i++) {
        struct source *source = events[i].data.ptr;
        // An earlier event may have closed it.
        if (source->socket >= 0 && source->connection)
            connection_event(self, source->connection, events[i].events);
        else if (source->socket >= 0)
            endpoint_event(self, source->endpoint, events[i].events);
    }
    for (struct endpoint *endpoint = self->endpoints; endpoint; endpoint = endpoint->next)
        if (endpoint->is_blocked && endpoint_can_emit(endpoint))
            endpoint_resume(self, endpoint);
    check(self);
    for (struct endpoint *next, *endpoint = self->endpoints; endpoint; endpoint = next) {
        next = endpoint->next;
        if (self->has_changed && endpoint->kind == JOB_LISTEN && endpoint->source.socket >= 0)
            listening_watch(self, endpoint);
        endpoint_sweep(self, endpoint);
    }
    self->has_changed = 0;
    work_bury(self);
    return self->due;
}

const struct engine_kind work_kind = {take, step};

void work_begin(spin_self *self) {
    int64_t now = spin_monotonic();
    self->due = now;
    for (struct endpoint *endpoint = self->endpoints; endpoint; endpoint = endpoint->next) {
        endpoint->left_due = now + longest_start;
        for (struct connection *connection = endpoint->first; connection; connection = connection->next) {
            connection->active = now;
            connection->partial_due = now + longest_start;
        }
    }
}

// The epoll instance is closed, so it has no sockets any more.
static void forget(struct source *source) { source->is_watched = 0; }

void work_end(spin_self *self) {
    engine_stop(&self->engine);
    for (struct endpoint *endpoint = self->endpoints; endpoint; endpoint = endpoint->next) {
        if (endpoint->job)
            endpoint_leave(self, endpoint);
        if (endpoint->kind == JOB_CONNECT)
            connecting_stop(self, endpoint);
        forget(&endpoint->source);
        for (struct connection *connection = endpoint->first; connection; connection = connection->next) {
            sending_leave(connection);
            forget(&connection->source);
        }
    }
    work_bury(self);
    engine_close(&self->engine);
}
