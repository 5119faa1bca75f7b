#include "exchange.h"
#include "connecting.h"
#include "reason.h"
#include <openssl/ssl.h>
#include <sys/epoll.h>

void exchange_flush(struct connection *connection) {
    int left = PQflush(connection->link);
    if (left < 0)
        connection_lose(connection, PQerrorMessage(connection->link));
    else
        connection_watch(connection, EPOLLIN | (left ? EPOLLOUT : 0));
}

// libpq may leave bytes in OpenSSL, and the socket then has nothing more to say.
static int consume(PGconn *link) {
    SSL *tls = PQsslStruct(link, "OpenSSL");
    int is_there = PQconsumeInput(link);
    while (is_there && tls && SSL_pending(tls) > 0)
        is_there = PQconsumeInput(link);
    return is_there;
}

// While the session is set up. The first reason counts.
static void note_setup(struct connection *connection, const PGresult *result) {
    if (PQresultStatus(result) == PGRES_FATAL_ERROR && !connection->reason[0])
        reason_of_result(connection->self, connection->reason, result);
}

static void end_statement(struct connection *connection) {
    if (PQstatus(connection->link) == CONNECTION_BAD) {
        connection_lose(connection, PQerrorMessage(connection->link));
        return;
    }
    if (connection->state == CONNECTION_IS_SET_UP) {
        connecting_is_done(connection, connection->reason[0] ? connection->reason : NULL);
        return;
    }
    connection->state = CONNECTION_IS_IDLE;
    connection->due = INT64_MAX;
    connection->owner->is_ready(connection);
}

static void take(struct connection *connection, const PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    // libpq would give this result again and again.
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH)
        connection_lose(connection, "the server begins a COPY, which is not possible");
    else if (connection->state == CONNECTION_IS_SET_UP)
        note_setup(connection, result);
    else
        connection->owner->has_result(connection, result);
}

static int awaits(const struct connection *connection, const PGconn *link) {
    return connection->link == link &&
           (connection->state == CONNECTION_IS_BUSY || connection->state == CONNECTION_IS_SET_UP);
}

void exchange_read(struct connection *connection) {
    PGconn *link = connection->link;
    if (!consume(link)) {
        connection_lose(connection, PQerrorMessage(link));
        return;
    }
    while (awaits(connection, link) && !PQisBusy(link)) {
        PGresult *result = PQgetResult(link);
        if (result)
            take(connection, result);
        else
            end_statement(connection);
        PQclear(result);
    }
    if (connection->link != link)
        return;
    if (connection->state == CONNECTION_IS_IDLE && connection->owner->has_read)
        connection->owner->has_read(connection);
    if (PQstatus(link) == CONNECTION_BAD)
        connection_lose(connection, PQerrorMessage(link));
    else if (connection->state > CONNECTION_OPENS && !connection->is_paused)
        exchange_flush(connection);
}
