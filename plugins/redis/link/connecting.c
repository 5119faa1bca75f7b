#include "connecting.h"
#include "greeting.h"
#include "socket.h"
#include "../instance.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* How often it looks for the answer of a lookup, of which nobody tells, in nanoseconds. */
enum { lookup_slice = 20000000 };

static void set_due(struct link *link, int64_t due) {
    link->due = due;
    instance_come(link->self, due);
}

// Begins to connect to an address; 0, or an error number.
static int begin(struct link *link, const struct sockaddr *address, socklen_t size) {
    const int on = 1;
    link->socket = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link->socket < 0)
        return errno;
    if (address->sa_family != AF_UNIX)
        setsockopt(link->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    link->state = LINK_CONNECTS;
    // A local socket is connected at once.
    if ((connect(link->socket, address, size) == 0 || errno == EINPROGRESS) && socket_watch(link, EPOLLOUT)) {
        set_due(link, spin_monotonic() + link->self->config->connect_timeout);
        return 0;
    }
    int error = errno;
    socket_close(link);
    return error;
}

static void cannot(char reason[most_reason], int error) {
    const char *text = strerrordesc_np(error);
    snprintf(reason, most_reason, "cannot connect: %s", text ? text : "unknown error");
}

// Tries the next address of a name. After the last one, the reason is why it cannot.
static void try_next(struct link *link, const char *reason) {
    char text[most_reason];
    snprintf(text, sizeof text, "%s", reason);
    for (const struct addrinfo *next; link->lookup && (next = lookup_next(link->lookup));) {
        int error = begin(link, next->ai_addr, next->ai_addrlen);
        if (error == 0)
            return;
        cannot(text, error);
    }
    link_lose(link, text);
}

static void hear(struct link *link) {
    char reason[most_reason];
    int state = lookup_state(link->lookup);
    if (state == EAI_INPROGRESS) {
        set_due(link, spin_monotonic() + lookup_slice);
        return;
    }
    if (state == 0) {
        try_next(link, "the name has no address");
        return;
    }
    lookup_explain(link->lookup, reason, sizeof reason);
    link_lose(link, reason);
}

static void start(struct link *link) {
    const struct server *server = &link->self->server;
    char reason[most_reason];
    int error;
    if (server->size == 0) {
        link->state = LINK_ASKS;
        link->lookup = lookup_begin(server->place.host, server->place.port);
        if (link->lookup) {
            hear(link);
            return;
        }
        error = ENOMEM;
    } else {
        error = begin(link, &server->address.any, server->size);
    }
    if (error == 0)
        return;
    cannot(reason, error);
    link_lose(link, reason);
}

// With the port of nobody, the system may choose the same port for this side, and connect the socket to itself.
static int is_own_peer(int socket) {
    struct sockaddr_storage own = {0}, peer = {0};
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    return getsockname(socket, (struct sockaddr *)&own, &own_size) == 0 &&
           getpeername(socket, (struct sockaddr *)&peer, &peer_size) == 0 && own.ss_family != AF_UNIX &&
           own_size == peer_size && memcmp(&own, &peer, own_size) == 0;
}

void connecting_event(struct link *link) {
    char reason[most_reason];
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(link->socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error == 0 && is_own_peer(link->socket))
        error = ECONNREFUSED;
    if (error == 0) {
        set_due(link, spin_monotonic() + link->self->config->connect_timeout);
        greeting_begin(link);
        return;
    }
    socket_close(link);
    cannot(reason, error);
    try_next(link, reason);
}

void connecting_check(struct link *link) {
    if (link->state == LINK_CONNECTS) {
        socket_close(link);
        try_next(link, "cannot connect: the server does not answer (setting `connect_timeout`)");
    } else if (link->state == LINK_ASKS) {
        hear(link);
    } else if (link->state == LINK_RESTS) {
        start(link);
    }
}
