#include "connecting.h"
#include "exchange.h"
#include "../instance.h"
#include "reason.h"
#include "../../common/lookup.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* How often it looks for the answer of a lookup, of which nobody tells, in nanoseconds. */
enum { lookup_slice = 20000000 };

static void be_silent(void *context, const char *text) { (void)context, (void)text; }

// Begins to connect to an address, or to the local socket; 0 if it cannot.
static int begin(struct connection *connection, const char *address) {
    spin_self *self = connection->self;
    connection->link = server_connect(self->config, &self->server, address);
    connection->state = CONNECTION_OPENS;
    connection->is_plain = 0;
    connection_set_due(connection, spin_monotonic() + self->config->connect_timeout);
    if (!connection->link || PQstatus(connection->link) == CONNECTION_BAD) {
        reason_of_link(connection->reason, connection->link);
        return 0;
    }
    // libpq would write what the server remarks to the standard error.
    PQsetNoticeProcessor(connection->link, be_silent, NULL);
    connection_watch(connection, EPOLLOUT);
    return 1;
}

// With the interface, if it is an address of one.
static int write_address(const struct addrinfo *address, char text[NI_MAXHOST]) {
    return getnameinfo(address->ai_addr, address->ai_addrlen, text, NI_MAXHOST, NULL, 0, NI_NUMERICHOST) == 0;
}

static void try_next(struct connection *connection) {
    char text[NI_MAXHOST];
    for (const struct addrinfo *next; connection->lookup && (next = lookup_next(connection->lookup));) {
        if (write_address(next, text) && begin(connection, text))
            return;
        PQfinish(connection->link);
        connection->link = NULL;
    }
    char reason[most_reason];
    memcpy(reason, connection->reason, sizeof reason);
    connection_lose(connection, reason);
}

void connecting_fail(struct connection *connection, const char *reason) {
    char text[most_reason];
    snprintf(text, sizeof text, "%s", reason);
    struct lookup *lookup = connection->lookup;
    connection->lookup = NULL;
    connection_close(connection);
    connection->lookup = lookup;
    memcpy(connection->reason, text, sizeof connection->reason);
    try_next(connection);
}

static void hear(struct connection *connection) {
    int state = lookup_state(connection->lookup);
    char reason[most_reason];
    if (state == EAI_INPROGRESS && spin_monotonic() < connection->sought_until) {
        connection_set_due(connection, spin_monotonic() + lookup_slice);
        return;
    }
    snprintf(connection->reason, sizeof connection->reason, "the name has no address");
    if (state == 0) {
        try_next(connection);
        return;
    }
    snprintf(reason, sizeof reason, "cannot find `%.253s`: %.80s", connection->self->server.host,
             state == EAI_INPROGRESS ? "nobody answers (setting `connect_timeout`)" : gai_strerror(state));
    connection_lose(connection, reason);
}

void connection_open(struct connection *connection) {
    const struct server *server = &connection->self->server;
    connection->state = CONNECTION_IS_SOUGHT;
    connection->sought_until = spin_monotonic() + connection->self->config->connect_timeout;
    if (server->is_local) {
        if (!begin(connection, NULL))
            connecting_fail(connection, connection->reason);
        return;
    }
    connection->lookup = lookup_begin(server->host, server->port);
    if (connection->lookup)
        hear(connection);
    else
        connection_lose(connection, "no memory for a lookup");
}

// Begins to set the session up. The server ends a statement after its time, and when the client is gone.
static void set_up(struct connection *connection) {
    char text[256];
    snprintf(text, sizeof text, "SET statement_timeout = %lld; SET bytea_output = hex%s",
             (long long)(connection->self->config->statement_timeout / 1000000),
             connection->is_plain ? "" : "; SET client_connection_check_interval = 1000");
    connection->state = CONNECTION_IS_SET_UP;
    connection->reason[0] = 0;
    if (PQsetnonblocking(connection->link, 1) == 0 && PQsendQuery(connection->link, text))
        exchange_flush(connection);
    else
        connecting_fail(connection, PQerrorMessage(connection->link));
}

// The event may be one of an earlier socket, and libpq would take this one for connected.
static int is_awaited(const struct connection *connection) {
    struct pollfd place = {connection->socket, connection->events & EPOLLOUT ? POLLOUT : POLLIN, 0};
    return poll(&place, 1, 0) > 0;
}

void connecting_continue(struct connection *connection) {
    char reason[most_reason];
    if (!is_awaited(connection))
        return;
    switch (PQconnectPoll(connection->link)) {
    case PGRES_POLLING_READING:
        connection_watch(connection, EPOLLIN);
        break;
    case PGRES_POLLING_WRITING:
        connection_watch(connection, EPOLLOUT);
        break;
    case PGRES_POLLING_OK:
        set_up(connection);
        break;
    default:
        reason_of_link(reason, connection->link);
        connecting_fail(connection, reason);
    }
}

void connecting_check(struct connection *connection) {
    if (connection->state == CONNECTION_IS_SOUGHT)
        hear(connection);
    else
        connecting_fail(connection, "cannot connect: the server does not answer (setting `connect_timeout`)");
}

void connecting_is_done(struct connection *connection, const char *reason) {
    if (reason && connection->is_plain) {
        connecting_fail(connection, reason);
        return;
    }
    if (reason) { // Before version 14, and on some systems, the server does not look for clients that are gone.
        connection->is_plain = 1;
        set_up(connection);
        return;
    }
    lookup_end(connection->lookup);
    connection->lookup = NULL;
    connection->reason[0] = 0;
    connection->due = INT64_MAX;
    connection->state = CONNECTION_IS_IDLE;
    connection->owner->is_ready(connection);
}
