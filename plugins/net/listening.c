#include "listening.h"
#include "accepted.h"
#include "emissions.h"
#include "instance.h"
#include "place.h"
#include "../common/patience.h"
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many connections it accepts at once, so that others have their turn. */
enum { most_accepted = 64 };

/* How long it waits when the system has no more files, in nanoseconds. */
enum { longest_pause = 1000000000 };

static const char *path_of(const struct endpoint *endpoint) {
    return endpoint->address.text + strlen("unix:");
}

// Whether the file of a local socket is left from a program that has ended.
static int is_left(const struct place *place) {
    struct stat found;
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int left = probe >= 0 && lstat(place->local.sun_path, &found) == 0 && S_ISSOCK(found.st_mode) &&
               connect(probe, &place->any, place->size) != 0 && errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    return left;
}

// Binds a new socket; 0, or an error number.
static int bind_socket(struct endpoint *endpoint, const struct place *place) {
    const int on = 1, off = 0;
    int type = endpoint->kind == JOB_RECEIVE ? SOCK_DGRAM : SOCK_STREAM;
    int made = socket(place->any.sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (made < 0)
        return errno;
    endpoint->source.socket = made;
    // A port whose last connections the system still remembers can be used again at once.
    if (type == SOCK_STREAM && place->any.sa_family != AF_UNIX)
        setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (place->any.sa_family == AF_INET6)
        setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    int error = bind(made, &place->any, place->size) == 0 ? 0 : errno;
    if (error == EADDRINUSE && place->any.sa_family == AF_UNIX && is_left(place) &&
        unlink(place->local.sun_path) == 0)
        error = bind(made, &place->any, place->size) == 0 ? 0 : errno;
    struct stat file;
    if (!error && place->any.sa_family == AF_UNIX && lstat(place->local.sun_path, &file) == 0) {
        endpoint->device = file.st_dev;
        endpoint->file = file.st_ino;
    }
    return !error && type == SOCK_STREAM && listen(made, SOMAXCONN) != 0 ? errno : error;
}

// Writes a line for a reason that is not the one before.
static void warn(spin_self *self, struct endpoint *endpoint, const char *what, const char *reason) {
    if (strcmp(endpoint->reason, reason) != 0)
        spin_log_with(self->engine.call, SPIN_LOG_WARNING, what,
                      spin_field_text("address", endpoint->address.text), spin_field_text("reason", reason));
    snprintf(endpoint->reason, sizeof endpoint->reason, "%s", reason);
}

static void retry(spin_self *self, struct endpoint *endpoint, const char *reason) {
    warn(self, endpoint, "cannot listen, and tries again", reason);
    endpoint->due = spin_monotonic() + patience(self->config->reconnect_least, self->config->reconnect_most,
                                                ++endpoint->failures);
    instance_come(self, endpoint->due);
}

void listening_open(spin_self *self, struct endpoint *endpoint) {
    struct place place;
    char reason[most_reason + address_size];
    place_of(&endpoint->address, &place);
    int error = bind_socket(endpoint, &place);
    if (error == 0) {
        endpoint->reason[0] = 0;
        endpoint->failures = 0;
        endpoint->due = INT64_MAX;
        endpoint->is_untold = 1;
        endpoint_resume(self, endpoint);
        return;
    }
    source_close(self, &endpoint->source);
    const char *text = strerrordesc_np(error);
    if (error == EADDRINUSE || error == EADDRNOTAVAIL || error == EMFILE || error == ENFILE) {
        retry(self, endpoint, text);
        return;
    }
    snprintf(reason, sizeof reason, "cannot listen at `%s`: %s", endpoint->address.text,
             text ? text : "unknown error");
    endpoint_fail(self, endpoint, reason);
}

void listening_again(spin_self *self, struct endpoint *endpoint) {
    endpoint->due = INT64_MAX;
    if (endpoint->source.socket < 0)
        listening_open(self, endpoint);
    else
        listening_watch(self, endpoint);
}

void listening_reopen(spin_self *self, struct endpoint *endpoint) {
    source_close(self, &endpoint->source);
    endpoint->due = spin_monotonic();
    instance_come(self, endpoint->due);
}

void listening_watch(spin_self *self, struct endpoint *endpoint) {
    int accepts = endpoint_can_emit(endpoint) && endpoint->due == INT64_MAX &&
                  self->accepted_count < (size_t)self->config->most_connections;
    if (!source_watch(self, &endpoint->source, accepts ? EPOLLIN : 0))
        endpoint_fail(self, endpoint, "the system cannot watch more sockets");
}

// The system has no file for a connection, which waits until there is one.
static void rest(spin_self *self, struct endpoint *endpoint, int error) {
    warn(self, endpoint, "connections wait", strerrordesc_np(error));
    endpoint->due = spin_monotonic() + longest_pause;
    instance_come(self, endpoint->due);
}

static int has_waiting(const struct endpoint *endpoint) {
    struct pollfd found = {.fd = endpoint->source.socket, .events = POLLIN};
    return poll(&found, 1, 0) > 0;
}

// Accepts a connection; 0 if it must not try again at once.
static int accept_one(spin_self *self, struct endpoint *endpoint) {
    int socket = accept4(endpoint->source.socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    int error = socket < 0 ? errno : 0;
    // The system asks for a file before it looks for a connection.
    if ((error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) && has_waiting(endpoint))
        rest(self, endpoint, error);
    if (error == EAGAIN) // All that have waited for a file are accepted.
        endpoint->reason[0] = 0;
    if (error)
        return error == ECONNABORTED || error == EINTR;
    struct connection *connection = connection_make(self, endpoint, socket);
    if (!connection) {
        close(socket);
        return 0;
    }
    connection->number = self->number++;
    if (!accepted_add(self, connection)) {
        source_close(self, &connection->source);
        connection->number = 0;
        connection_remove(self, connection);
        return 0;
    }
    connection_resume(self, connection);
    return 1;
}

void listening_accept(spin_self *self, struct endpoint *endpoint) {
    for (int i = 0;
         i < most_accepted && endpoint->source.socket >= 0 && endpoint_can_emit(endpoint) &&
         self->accepted_count < (size_t)self->config->most_connections && accept_one(self, endpoint);
         i++) {
    }
    if (endpoint->source.socket >= 0)
        listening_watch(self, endpoint);
}

spin_string listening_at(const struct endpoint *endpoint, char text[address_size]) {
    struct place place = {.size = sizeof place.storage};
    if (endpoint->address.kind == ADDRESS_UNIX ||
        getsockname(endpoint->source.socket, &place.any, &place.size) != 0)
        snprintf(text, address_size, "%s", endpoint->address.text);
    else
        place_write(endpoint->address.kind, &place, text);
    return text_of(text);
}

void listening_close(spin_self *self, struct endpoint *endpoint) {
    struct stat found;
    if (endpoint->file && lstat(path_of(endpoint), &found) == 0 && found.st_dev == endpoint->device &&
        found.st_ino == endpoint->file)
        unlink(path_of(endpoint));
    endpoint->file = 0; // A later file may have the same number.
    // A socket of UDP that has ended would have no end of empty datagrams for another instance.
    if (endpoint->kind == JOB_RECEIVE)
        source_close(self, &endpoint->source);
    else
        source_end(self, &endpoint->source);
    endpoint->due = INT64_MAX;
}
