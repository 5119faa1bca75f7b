#include "sending.h"
#include "instance.h"
#include <errno.h>
#include <stdio.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* How much it sends at once, so that other connections have their turn. */
enum { piece = 1 << 18 };

/* How long a connection waits for the rest of a frame, and for memory of the system. */
static const int64_t longest_rest = 1000000000, no_memory_pause = 100000000;

// Whether the run of this call has sent last.
static int is_of_run(const struct connection *connection, const struct job *job) {
    return job->base.key[0] && strcmp(job->base.key, connection->key) == 0;
}

// The connection that is left of an ended call of `connect`, if this run has sent last over it. A later call of
// `connect` may have the same name.
static struct connection *find_ending(spin_self *self, const struct job *job) {
    for (struct endpoint *endpoint = self->endpoints; endpoint; endpoint = endpoint->next)
        if (endpoint->is_ending && endpoint->kind == JOB_CONNECT && endpoint->first &&
            strcmp(endpoint->address.text, job->name) == 0 && is_of_run(endpoint->first, job))
            return endpoint->first;
    return NULL;
}

static void add(struct connection *connection, struct job *job) {
    connection->unsent += job->size - job->done;
    if (job->done > 0 || !connection->first) {
        job->next = connection->first;
        connection->first = job;
    } else {
        connection->last->next = job;
    }
    if (!job->next)
        connection->last = job;
}

void sending_take(spin_self *self, struct job *job) {
    const char *why;
    struct connection *connection = find_ending(self, job);
    if (!connection && !(connection = connection_find(self, job->name, &why))) {
        engine_call_fail(&job->base, NET_NOT_CONNECTED, why);
        return;
    }
    why = job_frame(job, &connection->source.endpoint->framing);
    if (why) {
        engine_call_fail(&job->base, SPIN_BAD_VALUE, why);
        return;
    }
    int is_same = is_of_run(connection, job) && connection->sent <= job->size;
    // The host has cancelled the call before when all was sent.
    int is_sent = is_same && connection->sent == job->size;
    if (!is_sent && (connection->has_shut || (connection->is_closing && !is_same))) {
        engine_call_fail(&job->base, NET_NOT_CONNECTED,
                         connection->is_closing ? "the app has closed it" : "the peer takes no more");
        return;
    }
    if (is_same) {
        job->done = (size_t)connection->sent;
        connection->is_partial = 0;
    }
    if (job->done == job->size) {
        engine_call_finish(&job->base);
        return;
    }
    if (job->done == 0 && connection->unsent + job->size > (size_t)self->config->most_unsent) {
        engine_call_fail(&job->base, SPIN_FULL,
                         "more bytes than the setting `most_unsent` allows would wait to be sent");
        return;
    }
    add(connection, job);
    sending_run(self, connection);
    connection_watch(self, connection);
}

// The first call is over, or about to be.
static struct job *remove_first(struct connection *connection) {
    struct job *job = connection->first;
    connection->first = job->next;
    connection->unsent -= job->size - job->done;
    return job;
}

// The system does not send. Only a lack of memory passes.
static void hear_failure(spin_self *self, struct connection *connection, int error) {
    if (error == EAGAIN || error == EINTR)
        return;
    if (error == ENOBUFS || error == ENOMEM) {
        connection->again = spin_monotonic() + no_memory_pause;
        instance_come(self, connection->again);
        return;
    }
    // What the peer has sent before can be there still, so the connection ends when that is read.
    connection->has_shut = 1;
    snprintf(connection->reason, sizeof connection->reason, "%s", strerrordesc_np(error));
    sending_fail(connection, connection->reason);
    if (connection->has_ended)
        connection_end(self, connection, connection->reason);
}

// Sends what the system takes of the first call; whether it has taken all.
static int send_bytes(spin_self *self, struct connection *connection, struct job *job) {
    size_t left = job->size - job->done;
    ssize_t count = send(connection->source.socket, job->data + job->begin + job->done,
                         left < piece ? left : piece, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0)
        hear_failure(self, connection, errno);
    if (count <= 0)
        return 0;
    job->done += (size_t)count;
    connection->unsent -= (size_t)count;
    connection->active = spin_monotonic();
    connection->queued = -1;
    memcpy(connection->key, job->base.key, sizeof connection->key);
    connection->sent = job->done;
    return job->done == job->size;
}

static void shut(spin_self *self, struct connection *connection) {
    shutdown(connection->source.socket, SHUT_WR);
    connection->has_shut = 1;
    connection->due = spin_monotonic() + longest_stall;
    instance_come(self, connection->due);
    if (connection->has_ended)
        connection_end(self, connection, "the app has closed it");
}

int sending_waits(const struct connection *connection) { return connection->first || connection->is_partial; }

int sending_moves(struct connection *connection) {
    int before = connection->queued, queued;
    if (ioctl(connection->source.socket, SIOCOUTQ, &queued) != 0)
        queued = 0;
    connection->queued = queued;
    return queued > 0 && (before < 0 || queued < before);
}

void sending_run(spin_self *self, struct connection *connection) {
    size_t before = connection->unsent;
    // In a swap, the host cancels the newest call first. A later call must not come amid the frame of this one.
    while (connection->again == INT64_MAX && connection->first && !connection->is_partial &&
           !spin_cancelled(connection->first->base.call) && send_bytes(self, connection, connection->first))
        engine_call_finish(&remove_first(connection)->base);
    if (connection->is_over || connection->has_shut)
        return;
    if (connection->is_closing && !sending_waits(connection)) {
        shut(self, connection);
    } else if (connection->unsent != before && (connection->is_closing || connection->has_ended)) {
        connection->due = connection->is_closing ? connection->active + longest_stall
                                                 : connection_answer_due(self, connection);
        instance_come(self, connection->due);
    }
}

void sending_sweep(spin_self *self, struct connection *connection) {
    struct job *first = connection->first;
    if (first && engine_call_is_over(&first->base)) {
        if (first->done > 0) {
            connection->is_partial = 1;
            connection->partial_due = spin_monotonic() + longest_rest;
            instance_come(self, connection->partial_due);
        }
        engine_call_drop(&remove_first(connection)->base);
    }
    struct job **link = &connection->first;
    connection->last = NULL;
    for (struct job *job; (job = *link);) {
        if (engine_call_is_over(&job->base)) {
            *link = job->next;
            connection->unsent -= job->size - job->done;
            engine_call_drop(&job->base);
        } else {
            connection->last = job;
            link = &job->next;
        }
    }
    if (first)
        sending_run(self, connection);
}

void sending_fail(struct connection *connection, const char *reason) {
    char text[most_reason + 32];
    snprintf(text, sizeof text, "the connection is lost: %s", reason);
    while (connection->first)
        engine_call_fail(&remove_first(connection)->base, NET_NOT_CONNECTED, text);
}

void sending_leave(struct connection *connection) {
    if (connection->first && connection->first->done > 0)
        connection->is_partial = 1;
    while (connection->first)
        engine_call_drop(&remove_first(connection)->base);
}
