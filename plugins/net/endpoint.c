#include "endpoint.h"
#include "connecting.h"
#include "datagram.h"
#include "emissions.h"
#include "instance.h"
#include "listening.h"
#include "reading.h"
#include <stdlib.h>

/* How long the host may take to make the same call again, in a swap. */
static const int64_t longest_left = 1000000000;

struct endpoint *endpoint_make(spin_self *self) {
    struct endpoint *endpoint = calloc(1, sizeof *endpoint);
    if (!endpoint)
        return NULL;
    endpoint->source = (struct source){.socket = -1, .endpoint = endpoint};
    endpoint->last = &endpoint->first;
    endpoint->due = INT64_MAX;
    endpoint->next = self->endpoints;
    self->endpoints = endpoint;
    return endpoint;
}

struct endpoint *endpoint_find(spin_self *self, enum job_kind kind, const char *name) {
    struct endpoint *found = self->endpoints;
    while (found && (found->is_ending || found->kind != kind || strcmp(found->address.text, name) != 0))
        found = found->next;
    return found;
}

int endpoint_can_emit(const struct endpoint *endpoint) {
    return endpoint->job && lasting_can_emit(&endpoint->job->base.lasting);
}

int endpoint_continues(struct endpoint *endpoint, spin_status status) {
    int continues = engine_call_continues(&endpoint->job->base, status);
    // It stays blocked until all that has waited is emitted, although others may find room before.
    endpoint->is_blocked |= !continues;
    return continues;
}

static void open(spin_self *self, struct endpoint *endpoint) {
    if (endpoint->kind == JOB_CONNECT)
        connecting_begin(self, endpoint);
    else
        listening_open(self, endpoint);
}

void endpoint_take(spin_self *self, struct job *job) {
    struct endpoint *endpoint = endpoint_find(self, job->kind, job->address.text);
    if (endpoint && endpoint->job && spin_cancelled(endpoint->job->base.call)) // The host is about to say so.
        endpoint_leave(self, endpoint);
    if (endpoint && endpoint->job) {
        engine_call_fail(&job->base, SPIN_FAILED, "another call has this address already");
        return;
    }
    int is_same = endpoint && job->base.key[0] && strcmp(job->base.key, endpoint->key) == 0;
    if (endpoint && !is_same)
        endpoint_end(self, endpoint);
    if (!is_same && !(endpoint = endpoint_make(self))) {
        engine_call_fail(&job->base, SPIN_NO_MEMORY, "no memory");
        return;
    }
    endpoint->job = job;
    endpoint->kind = job->kind;
    endpoint->address = job->address;
    int is_reframed = is_same && !framing_is_same(&endpoint->framing, &job->framing);
    endpoint->framing = job->framing;
    memcpy(endpoint->key, job->base.key, sizeof endpoint->key);
    if (is_same) {
        for (struct connection *next = endpoint->first; is_reframed && next; next = next->next)
            reading_reframe(next);
        instance_come(self, endpoint->due);
        endpoint_resume(self, endpoint);
    }
    if (endpoint->job && endpoint->source.socket < 0 && !endpoint->first && endpoint->due == INT64_MAX)
        open(self, endpoint);
}

void endpoint_resume(spin_self *self, struct endpoint *endpoint) {
    endpoint->is_blocked = !endpoint_can_emit(endpoint);
    if (endpoint->is_blocked) {
        // Peers that dial meanwhile would be an event without end.
        if (endpoint->kind == JOB_LISTEN)
            listening_watch(self, endpoint);
        return;
    }
    if (endpoint->is_untold) {
        spin_call *call = endpoint->job->base.call;
        char address[address_size];
        endpoint->is_untold = !endpoint_continues(
            endpoint, endpoint->kind == JOB_CONNECT
                          ? spin_wait_lost(call, text_of(endpoint->reason), 0)
                          : spin_wait_listening(call, listening_at(endpoint, address), 0));
    }
    for (struct connection *next, *connection = endpoint->first; connection; connection = next) {
        next = connection->next;
        connection_resume(self, connection);
    }
    if (endpoint->kind == JOB_LISTEN)
        listening_watch(self, endpoint);
    else if (endpoint->kind == JOB_RECEIVE)
        datagram_resume(self, endpoint);
}

void endpoint_event(spin_self *self, struct endpoint *endpoint, uint32_t events) {
    if (endpoint->kind == JOB_CONNECT)
        connecting_event(self, endpoint);
    else if (endpoint->kind == JOB_LISTEN && events & EPOLLHUP)
        listening_reopen(self, endpoint);
    else if (endpoint->is_blocked) // What waits for room comes before all that has come since.
        endpoint_resume(self, endpoint);
    else if (endpoint->kind == JOB_LISTEN)
        listening_accept(self, endpoint);
    else
        datagram_receive(self, endpoint);
}

void endpoint_check(spin_self *self, struct endpoint *endpoint, int64_t now) {
    if (!endpoint->job && !endpoint->is_ending && endpoint->left_due <= now)
        endpoint_end(self, endpoint);
    if (endpoint->due <= now && endpoint->kind == JOB_CONNECT)
        connecting_check(self, endpoint);
    else if (endpoint->due <= now && endpoint->job)
        listening_again(self, endpoint);
    for (struct connection *next, *connection = endpoint->first; connection; connection = next) {
        next = connection->next;
        instance_come(self, connection_check(self, connection, now));
    }
    if (endpoint->job || endpoint->is_ending)
        instance_come(self, endpoint->due);
    else
        instance_come(self, endpoint->left_due);
}

void endpoint_leave(spin_self *self, struct endpoint *endpoint) {
    engine_call_drop(&endpoint->job->base);
    endpoint->job = NULL;
    endpoint->is_blocked = 0;
    endpoint->left_due = spin_monotonic() + longest_left;
    instance_come(self, endpoint->left_due);
    if (endpoint->kind != JOB_CONNECT)
        source_watch(self, &endpoint->source, 0);
    for (struct connection *next, *connection = endpoint->first; connection; connection = next) {
        next = connection->next;
        connection_watch(self, connection);
    }
}

void endpoint_end(spin_self *self, struct endpoint *endpoint) {
    endpoint->is_ending = 1;
    if (endpoint->kind == JOB_CONNECT)
        connecting_stop(self, endpoint);
    else
        listening_close(self, endpoint);
    for (struct connection *next, *connection = endpoint->first; connection; connection = next) {
        next = connection->next;
        if (connection->is_over)
            connection_remove(self, connection);
        else
            connection_close(self, connection);
    }
}

void endpoint_fail(spin_self *self, struct endpoint *endpoint, const char *reason) {
    if (endpoint->job)
        engine_call_fail(&endpoint->job->base, SPIN_FAILED, reason);
    endpoint->job = NULL;
    endpoint_end(self, endpoint);
}

void endpoint_sweep(spin_self *self, struct endpoint *endpoint) {
    struct endpoint **link = &self->endpoints;
    if (!endpoint->is_ending || endpoint->first)
        return;
    while (*link != endpoint)
        link = &(*link)->next;
    *link = endpoint->next;
    endpoint->next = self->dead_endpoints;
    self->dead_endpoints = endpoint;
}

void endpoint_free(spin_self *self, struct endpoint *endpoint) {
    for (struct connection *next, *connection = endpoint->first; connection; connection = next) {
        next = connection->next;
        connection_free(self, connection);
    }
    connecting_stop(self, endpoint);
    if (endpoint->job)
        engine_call_drop(&endpoint->job->base);
    free(endpoint->datagram);
    free(endpoint);
}
