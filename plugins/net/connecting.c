#include "connecting.h"
#include "instance.h"
#include "place.h"
#include "../common/lookup.h"
#include "../common/patience.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How often it looks for the answer of a lookup, of which nobody tells, in nanoseconds. */
enum { lookup_slice = 20000000 };

void connecting_stop(spin_self *self, struct endpoint *endpoint) {
    source_close(self, &endpoint->source);
    lookup_end(endpoint->lookup);
    endpoint->lookup = NULL;
    endpoint->is_found = 0;
    endpoint->due = INT64_MAX;
}

static void set_due(spin_self *self, struct endpoint *endpoint, int64_t due) {
    endpoint->due = due;
    instance_come(self, due);
}

static void wait_again(spin_self *self, struct endpoint *endpoint) {
    const spin_config *config = self->config;
    set_due(self, endpoint,
            spin_monotonic() +
                patience(config->reconnect_least, config->reconnect_most, ++endpoint->failures));
}

// It cannot connect now. The loop and the log hear of a reason once.
static void rest(spin_self *self, struct endpoint *endpoint, const char *reason) {
    connecting_stop(self, endpoint);
    if (strcmp(endpoint->reason, reason) != 0) {
        snprintf(endpoint->reason, sizeof endpoint->reason, "%s", reason);
        endpoint->is_untold = 1;
        spin_log_with(self->engine.call, SPIN_LOG_WARNING, "not connected",
                      spin_field_text("address", endpoint->address.text), spin_field_text("reason", reason));
        endpoint_resume(self, endpoint);
    }
    wait_again(self, endpoint);
}

static void finish(spin_self *self, struct endpoint *endpoint) {
    int socket = source_take(self, &endpoint->source);
    struct connection *connection = connection_make(self, endpoint, socket);
    if (!connection) {
        close(socket);
        rest(self, endpoint, "no memory for a connection");
        return;
    }
    connecting_stop(self, endpoint);
    endpoint->reason[0] = 0;
    endpoint->is_untold = 0;
    connection_resume(self, connection);
}

// Begins to connect to a place; 0, or an error number.
static int begin(spin_self *self, struct endpoint *endpoint, const struct sockaddr *place, socklen_t size) {
    endpoint->source.socket = socket(place->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (endpoint->source.socket < 0)
        return errno;
    // A local socket is connected at once.
    if ((connect(endpoint->source.socket, place, size) == 0 || errno == EINPROGRESS) &&
        source_watch(self, &endpoint->source, EPOLLOUT)) {
        set_due(self, endpoint, spin_monotonic() + self->config->connect_timeout);
        return 0;
    }
    int error = errno;
    source_close(self, &endpoint->source);
    return error;
}

static void cannot(char reason[most_reason], int error) {
    const char *text = strerrordesc_np(error);
    snprintf(reason, most_reason, "cannot connect: %s", text ? text : "unknown error");
}

// Tries the next address of a name. After the last one, the reason is why it cannot.
static void try_next(spin_self *self, struct endpoint *endpoint, const char *reason) {
    char text[most_reason];
    snprintf(text, sizeof text, "%s", reason);
    for (const struct addrinfo *next; endpoint->lookup && (next = lookup_next(endpoint->lookup));) {
        int error = begin(self, endpoint, next->ai_addr, next->ai_addrlen);
        if (error == 0)
            return;
        cannot(text, error);
    }
    rest(self, endpoint, text);
}

static void hear(spin_self *self, struct endpoint *endpoint) {
    char reason[most_reason];
    int state = lookup_state(endpoint->lookup);
    if (state == EAI_INPROGRESS) {
        set_due(self, endpoint, spin_monotonic() + lookup_slice);
        return;
    }
    endpoint->is_found = 1;
    if (state == 0) {
        try_next(self, endpoint, "the name has no address");
        return;
    }
    lookup_explain(endpoint->lookup, reason, sizeof reason);
    rest(self, endpoint, reason);
}

void connecting_begin(spin_self *self, struct endpoint *endpoint) {
    struct place place;
    char reason[most_reason];
    int error = 0;
    if (place_of(&endpoint->address, &place)) {
        error = begin(self, endpoint, &place.any, place.size);
    } else {
        endpoint->lookup = lookup_begin(endpoint->address.host, endpoint->address.port);
        if (endpoint->lookup) {
            hear(self, endpoint);
            return;
        }
        error = ENOMEM;
    }
    if (error == 0)
        return;
    cannot(reason, error);
    rest(self, endpoint, reason);
}

// With the port of nobody, the system may choose the same port for this side, and connect the socket to itself.
static int is_own_peer(int socket) {
    struct place own = {.size = sizeof own.storage}, peer = {.size = sizeof peer.storage};
    return getsockname(socket, &own.any, &own.size) == 0 && getpeername(socket, &peer.any, &peer.size) == 0 &&
           own.any.sa_family != AF_UNIX && own.size == peer.size &&
           memcmp(&own.any, &peer.any, own.size) == 0;
}

void connecting_event(spin_self *self, struct endpoint *endpoint) {
    char reason[most_reason];
    int error = 0;
    socklen_t size = sizeof error;
    if (endpoint->source.socket < 0)
        return;
    getsockopt(endpoint->source.socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0 && is_own_peer(endpoint->source.socket))
        error = ECONNREFUSED;
    if (error == 0) {
        finish(self, endpoint);
        return;
    }
    source_close(self, &endpoint->source);
    cannot(reason, error);
    try_next(self, endpoint, reason);
}

void connecting_check(spin_self *self, struct endpoint *endpoint) {
    if (endpoint->source.socket >= 0) {
        source_close(self, &endpoint->source);
        try_next(self, endpoint, "cannot connect: nobody answers (setting `connect_timeout`)");
    } else if (endpoint->lookup && !endpoint->is_found) {
        hear(self, endpoint);
    } else if (endpoint->job) {
        endpoint->due = INT64_MAX;
        connecting_begin(self, endpoint);
    }
}

void connecting_again(spin_self *self, struct endpoint *endpoint, const struct connection *connection) {
    // A peer that takes a connection and drops it at once is not asked more often than one that is away.
    if (spin_monotonic() - connection->opened >= SHORTEST_HOLD)
        endpoint->failures = 0;
    snprintf(endpoint->reason, sizeof endpoint->reason, "%s", connection->reason);
    if (!endpoint->is_ending)
        wait_again(self, endpoint);
}
