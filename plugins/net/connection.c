#include "connection.h"
#include "accepted.h"
#include "connecting.h"
#include "instance.h"
#include "place.h"
#include "reading.h"
#include "sending.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What waits would only make an answer late. A peer that has gone without a word is found by its silence.
static void set_options(const spin_config *config, int socket) {
    const int on = 1, seconds = (int)((config->keep_alive + 999999999) / 1000000000);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (seconds == 0)
        return;
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

struct connection *connection_make(spin_self *self, struct endpoint *endpoint, int socket) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return NULL;
    struct place peer = {.size = sizeof peer.storage};
    if (getpeername(socket, &peer.any, &peer.size) != 0)
        peer.size = 0;
    if (endpoint->kind == JOB_CONNECT && endpoint->address.kind == ADDRESS_UNIX)
        memcpy(connection->peer, endpoint->address.text, sizeof connection->peer);
    else
        place_write(endpoint->address.kind, &peer, connection->peer);
    if (endpoint->address.kind == ADDRESS_TCP)
        set_options(self->config, socket);
    connection->source = (struct source){.socket = socket, .endpoint = endpoint, .connection = connection};
    connection->due = connection->again = INT64_MAX;
    connection->queued = -1;
    connection->opened = connection->active = spin_monotonic();
    if (self->config->idle_timeout > 0)
        instance_come(self, connection->active + self->config->idle_timeout);
    *endpoint->last = connection;
    endpoint->last = &connection->next;
    return connection;
}

struct connection *connection_find(spin_self *self, const char *name, const char **why) {
    struct endpoint *endpoint = endpoint_find(self, JOB_CONNECT, name);
    struct connection *found = endpoint ? endpoint->first : accepted_find(self, name);
    *why = endpoint ? "it is not connected" : "no such connection is open";
    return found && !found->is_over ? found : NULL;
}

spin_string connection_name(const spin_self *self, const struct connection *connection,
                            char text[address_size]) {
    const struct endpoint *endpoint = connection->source.endpoint;
    if (endpoint->kind == JOB_CONNECT)
        snprintf(text, address_size, "%s", endpoint->address.text);
    else
        snprintf(text, address_size, "%s-%llu", self->nonce, (unsigned long long)connection->number);
    return (spin_string){text, strlen(text)};
}

void connection_watch(spin_self *self, struct connection *connection) {
    int writes = connection->first && !connection->is_partial && connection->again == INT64_MAX;
    uint32_t events = (reading_wants(connection) ? (uint32_t)EPOLLIN : 0) | (writes ? (uint32_t)EPOLLOUT : 0);
    if (connection->source.socket >= 0 && !source_watch(self, &connection->source, events))
        connection_end(self, connection, "the system cannot watch more sockets");
}

void connection_event(spin_self *self, struct connection *connection, uint32_t events) {
    int is_dead = (events & (EPOLLHUP | EPOLLERR)) != 0;
    if (connection->source.socket >= 0 && events & EPOLLOUT)
        sending_run(self, connection);
    if (connection->source.socket >= 0 && (events & EPOLLIN || is_dead))
        reading_run(self, connection, is_dead);
    connection_watch(self, connection);
}

void connection_resume(spin_self *self, struct connection *connection) {
    if (reading_emit(self, connection) && connection->source.is_hung)
        reading_run(self, connection, 1);
    connection_watch(self, connection);
}

void connection_close(spin_self *self, struct connection *connection) {
    if (connection->is_closing || connection->is_over)
        return;
    connection->is_closing = 1;
    if (connection->has_shut) { // The peer has taken no more, so it cannot hear of the end.
        connection_end(self, connection, "the app has closed it");
        return;
    }
    connection->due = spin_monotonic() + longest_stall;
    instance_come(self, connection->due);
    pieces_clear(&connection->received);
    sending_run(self, connection);
    if (connection->source.is_hung)
        reading_run(self, connection, 1);
    connection_watch(self, connection);
}

void connection_end(spin_self *self, struct connection *connection, const char *reason) {
    if (connection->is_over)
        return;
    connection->is_over = 1;
    if (connection->is_closing)
        reason = "the app has closed it";
    if (connection->is_closing || !connection->reason[0])
        snprintf(connection->reason, sizeof connection->reason, "%s", reason ? reason : "unknown error");
    source_end(self, &connection->source);
    sending_fail(connection, connection->reason);
    if (connection->source.endpoint->is_ending)
        connection_remove(self, connection);
    else
        reading_emit(self, connection);
}

int64_t connection_answer_due(const spin_self *self, const struct connection *connection) {
    int64_t patience = connection->source.endpoint->kind == JOB_LISTEN ? self->config->answer_timeout : 0;
    if (sending_waits(connection) && patience < longest_stall)
        patience = longest_stall;
    return connection->active + patience;
}

// Why its time has come; NULL if it has not.
static const char *why_over(const spin_self *self, const struct connection *connection, int64_t now) {
    int64_t idle = self->config->idle_timeout;
    if (connection->is_partial && connection->partial_due <= now)
        return "a call of `send` was cancelled amid its bytes";
    if (idle > 0 && now - connection->active >= idle)
        return "nothing has come or gone for the time of the setting `idle_timeout`";
    if (connection->due <= now)
        return sending_waits(connection) ? "the peer sends no more, and takes nothing"
                                         : "the peer has closed it";
    return NULL;
}

int64_t connection_check(spin_self *self, struct connection *connection, int64_t now) {
    int64_t idle = self->config->idle_timeout;
    if (connection->is_over)
        return INT64_MAX;
    // There may be memory again, or another instance has handed it over while the app closed it.
    if (connection->again <= now || connection->is_closing) {
        connection->again = INT64_MAX;
        sending_run(self, connection);
    }
    // While the loop has no room, the plugin is what is idle.
    if (!endpoint_can_emit(connection->source.endpoint))
        connection->active = now;
    int is_due = connection->due <= now || (idle > 0 && now - connection->active >= idle);
    if (!connection->is_over && is_due && sending_moves(connection)) {
        connection->active = now;
        if (connection->is_closing)
            connection->due = now + longest_stall;
    }
    if (connection->due <= now && !connection->is_closing)
        connection->due = connection_answer_due(self, connection);
    const char *why = why_over(self, connection, now);
    if (why)
        connection_end(self, connection, why);
    if (connection->is_over)
        return INT64_MAX;
    connection_watch(self, connection);
    int64_t due = connection->due < connection->again ? connection->due : connection->again;
    if (idle > 0 && connection->active + idle < due)
        due = connection->active + idle;
    return connection->is_partial && connection->partial_due < due ? connection->partial_due : due;
}

void connection_remove(spin_self *self, struct connection *connection) {
    struct endpoint *endpoint = connection->source.endpoint;
    struct connection **link = &endpoint->first;
    while (*link != connection)
        link = &(*link)->next;
    *link = connection->next;
    if (endpoint->last == &connection->next)
        endpoint->last = link;
    if (connection->number > 0)
        accepted_remove(self, connection);
    if (endpoint->kind == JOB_CONNECT)
        connecting_again(self, endpoint, connection);
    connection->next_dead = self->dead;
    self->dead = connection;
}

void connection_free(spin_self *self, struct connection *connection) {
    source_close(self, &connection->source);
    sending_leave(connection);
    pieces_free(&connection->received);
    free(connection);
}
