#include "connection.h"
#include "credentials.h"
#include "handshake.h"
#include <sys/epoll.h>
#include <stdlib.h>
#include <sys/socket.h>

static void expect(spin_self *self, struct connection *connection) {
    connection->reads = 1;
    connection->due = monotonic_now() + self->config->idle_timeout;
    connection->next = NULL;
    connection->previous = self->last_reading;
    if (self->last_reading)
        self->last_reading->next = connection;
    else
        self->first_reading = connection;
    self->last_reading = connection;
}

static void forget(spin_self *self, struct connection *connection) {
    if (!connection->reads)
        return;
    connection->reads = 0;
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        self->first_reading = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    else
        self->last_reading = connection->previous;
}

static struct connection *find(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void connection_notify(void *context, struct MHD_Connection *connection, void **own,
                       enum MHD_ConnectionNotificationCode code) {
    spin_self *self = context;
    struct connection *made = *own;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        // Without memory it has no limit but that of silence.
        if (!info || !(*own = made = calloc(1, sizeof *made)))
            return;
        made->self = self;
        made->handle = connection;
        made->socket = info->connect_fd;
        info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
        if (info) {
            made->certificate = certificate_use(self, info->tls_session);
            handshake_watch(made, info->tls_session);
        }
        made->is_fresh = 1;
        self->fresh++;
        expect(self, made);
    } else if (made) {
        self->fresh -= (size_t)made->is_fresh;
        forget(self, made);
        certificate_release(made->certificate);
        // A child that has not called exec yet has the socket, too, so that its end here removes nothing.
        if (made->is_watched)
            epoll_ctl(self->handshakes, EPOLL_CTL_DEL, made->socket, NULL);
        free(made);
        *own = NULL;
    }
}

void connection_begins(spin_self *self, struct MHD_Connection *connection) {
    struct connection *found = find(connection);
    if (found) {
        self->fresh -= (size_t)found->is_fresh;
        found->is_fresh = 0;
    }
}

void connection_is_whole(spin_self *self, struct MHD_Connection *connection) {
    struct connection *found = find(connection);
    if (found)
        forget(self, found);
}

void connection_is_over(spin_self *self, struct MHD_Connection *connection) {
    struct connection *found = find(connection);
    if (!found || found->is_late)
        return;
    forget(self, found);
    expect(self, found);
}

// A paused connection has made no request yet, so it is in this list.
void connections_resume(spin_self *self) {
    for (struct connection *next = self->first_reading; next; next = next->next)
        handshake_resume(next);
}

int64_t connections_expire(spin_self *self) {
    int64_t now = monotonic_now();
    for (struct connection *first; (first = self->first_reading);) {
        if (first->due > now)
            return first->due;
        forget(self, first);
        // Libmicrohttpd sees the end, and closes it.
        first->is_late = 1;
        shutdown(first->socket, SHUT_RDWR);
        handshake_resume(first);
    }
    return INT64_MAX;
}
