#include "handshake.h"
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

// Without memory for this, libmicrohttpd tries again and again.
static void pause_until_it_sends(struct connection *connection) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = connection};
    int operation = connection->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(connection->self->handshakes, operation, connection->socket, &event) != 0)
        return;
    connection->is_watched = connection->is_paused = 1;
    MHD_suspend_connection(connection->handle);
}

// Reads for a session of GnuTLS. Until the first request has begun, nothing else needs the connection.
static ssize_t pull(gnutls_transport_ptr_t context, void *data, size_t size) {
    struct connection *connection = context;
    ssize_t count = recv(connection->socket, data, size, 0);
    int error = errno;
    if (count < 0 && error == EAGAIN && connection->is_fresh && !connection->is_paused)
        pause_until_it_sends(connection);
    errno = error;
    return count;
}

void handshake_watch(struct connection *connection, gnutls_session_t session) {
    gnutls_transport_set_ptr2(session, connection, (gnutls_transport_ptr_t)(intptr_t)connection->socket);
    gnutls_transport_set_pull_function(session, pull);
}

void handshake_resume(struct connection *connection) {
    if (!connection->is_paused)
        return;
    connection->is_paused = 0;
    MHD_resume_connection(connection->handle);
}

void handshakes_resume(spin_self *self) {
    struct epoll_event events[64];
    int count = epoll_wait(self->handshakes, events, sizeof events / sizeof *events, 0);
    for (int i = 0; i < count; i++)
        handshake_resume(events[i].data.ptr);
}
