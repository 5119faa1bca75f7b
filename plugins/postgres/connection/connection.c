#include "connection.h"
#include "connecting.h"
#include "exchange.h"
#include "../instance.h"
#include "reason.h"
#include "../../common/lookup.h"
#include <errno.h>

/* How much longer than the server the plugin waits for the end of a statement, in nanoseconds: the server says more. */
static const int64_t longer = 2000000000;

void connection_init(struct connection *connection, spin_self *self, const struct connection_owner *owner) {
    *connection = (struct connection){.owner = owner, .self = self, .due = INT64_MAX, .socket = -1};
}

void connection_set_due(struct connection *connection, int64_t due) {
    connection->due = due;
    instance_come(connection->self, due);
}

static void unwatch(struct connection *connection) {
    // When libpq has closed it, another connection may have the number.
    if (connection->socket >= 0 && connection->socket == PQsocket(connection->link))
        epoll_ctl(connection->self->engine.events, EPOLL_CTL_DEL, connection->socket, NULL);
    connection->socket = -1;
}

// While it connects, libpq may close its socket and open another one, perhaps with the same number.
void connection_watch(struct connection *connection, uint32_t events) {
    int descriptors = connection->self->engine.events, socket = PQsocket(connection->link);
    if (connection->socket == socket && connection->events == events && connection->state > CONNECTION_OPENS)
        return;
    struct epoll_event event = {.events = events, .data.ptr = connection};
    if (connection->socket != socket)
        connection->socket = -1; // It is closed.
    int error = epoll_ctl(descriptors, EPOLL_CTL_MOD, socket, &event);
    if (error && errno == ENOENT)
        error = epoll_ctl(descriptors, EPOLL_CTL_ADD, socket, &event);
    connection->socket = error ? -1 : socket;
    connection->events = events;
    // Without the engine, its time ends it.
}

void connection_close(struct connection *connection) {
    unwatch(connection);
    // It says goodbye if that is possible without a wait.
    PQfinish(connection->link);
    lookup_end(connection->lookup);
    connection->link = NULL;
    connection->lookup = NULL;
    connection->state = CONNECTION_IS_CLOSED;
    connection->due = INT64_MAX;
    connection->is_paused = 0;
}

void connection_lose(struct connection *connection, const char *reason) {
    char text[most_reason];
    if (connection->state == CONNECTION_IS_SET_UP) {
        connecting_fail(connection, reason);
        return;
    }
    reason_copy(connection->self, text, reason);
    int was_open = connection->state >= CONNECTION_IS_IDLE;
    connection_close(connection);
    connection->owner->is_lost(connection, text, was_open);
}

// From now on the server has this time for its answer.
static void await_answer(struct connection *connection) {
    const spin_config *config = connection->self->config;
    int64_t time = connection->is_asked ? config->connect_timeout : config->statement_timeout + longer;
    connection_set_due(connection, spin_monotonic() + time);
}

// What was sent goes out, or waits until the socket takes it.
static void began(struct connection *connection, int is_sent) {
    if (!is_sent) {
        connection_lose(connection, PQerrorMessage(connection->link));
        return;
    }
    connection->state = CONNECTION_IS_BUSY;
    await_answer(connection);
    exchange_flush(connection);
}

void connection_send(struct connection *connection, const struct statement *statement, int has_rows) {
    connection->is_asked = 0;
    began(connection, PQsendQueryParams(connection->link, statement->sql, statement->count, statement->types,
                                        statement->values, statement->lengths, statement->formats, 0) &&
                          (!has_rows || PQsetSingleRowMode(connection->link)));
}

void connection_send_text(struct connection *connection, const char *sql) {
    connection->is_asked = 0;
    began(connection, PQsendQuery(connection->link, sql));
}

void connection_ask(struct connection *connection, const char *sql) {
    connection->is_asked = 1;
    began(connection, PQsendQuery(connection->link, sql));
}

int connection_is_alive(struct connection *connection) {
    return PQconsumeInput(connection->link) && PQstatus(connection->link) == CONNECTION_OK;
}

void connection_event(struct connection *connection) {
    if (connection->state == CONNECTION_OPENS)
        connecting_continue(connection);
    else if (connection->state > CONNECTION_OPENS)
        exchange_read(connection);
    // Notifications come before its answer, and show that it is there.
    if (connection->state == CONNECTION_IS_BUSY && connection->is_asked)
        await_answer(connection);
}

void connection_check(struct connection *connection, int64_t now) {
    if (now < connection->due) {
        instance_come(connection->self, connection->due);
        return;
    }
    connection->due = INT64_MAX;
    if (connection->state == CONNECTION_IS_BUSY)
        connection_lose(connection,
                        connection->is_asked
                            ? "the server does not answer within the time (setting `connect_timeout`)"
                            : "the server does not answer within the time (setting `statement_timeout`)");
    else if (connection->state != CONNECTION_IS_CLOSED && connection->state != CONNECTION_IS_IDLE)
        connecting_check(connection);
}

void connection_pause(struct connection *connection, int is_paused) {
    if (connection->is_paused == is_paused || connection->state < CONNECTION_IS_IDLE)
        return;
    connection->is_paused = is_paused;
    connection->due = INT64_MAX;
    // A hang-up cannot be left out, and the engine would see it without end.
    if (is_paused) {
        unwatch(connection);
        return;
    }
    if (connection->state == CONNECTION_IS_BUSY)
        await_answer(connection);
    exchange_flush(connection);
}
