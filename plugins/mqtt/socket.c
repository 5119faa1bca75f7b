// The socket of the connection: what is read, and what is written.
#include "client.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

// Whether nothing is read and written, since messages are held.
static int is_paused(const spin_self *self) { return self->link.state == LINK_IS_UP && self->hold.first; }

int link_socket(spin_self *self, short *events) {
    struct link *link = &self->link;
    *events = POLLIN;
    if (link->state != LINK_CONNECTS && link->state != LINK_IS_UP)
        return -1;
    if (link->is_fresh)
        *events = POLLOUT;
    else if (is_paused(self))
        *events = 0;
    else if (!tls_is_in_handshake(self->client, events) && mosquitto_want_write(self->client))
        *events |= POLLOUT;
    return mosquitto_socket(self->client);
}

// The system has connected the socket, or cannot.
static int has_socket(spin_self *self, short events) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(mosquitto_socket(self->client), SOL_SOCKET, SO_ERROR, &error, &size);
    self->link.is_fresh = 0;
    if (error == 0 && !(events & (POLLERR | POLLHUP)))
        return 1;
    // OpenSSL may have taken the error.
    const char *cause = strerrordesc_np(error ? error : ECONNREFUSED);
    char reason[sizeof self->link.reason];
    snprintf(reason, sizeof reason, "cannot connect: %s", cause ? cause : "unknown error");
    link_lose(self, reason);
    return 0;
}

void link_write(spin_self *self) {
    struct link *link = &self->link;
    short events;
    if ((link->state != LINK_CONNECTS && link->state != LINK_IS_UP) || link->is_fresh || is_paused(self) ||
        tls_is_in_handshake(self->client, &events) || !mosquitto_want_write(self->client))
        return;
    int error = mosquitto_loop_write(self->client, 1);
    link->is_whole = !mosquitto_want_write(self->client);
    if (link->is_whole)
        hold_is_acknowledged(&self->hold);
    if (error != MOSQ_ERR_SUCCESS)
        link_lose_with(self, error);
}

void link_serve(spin_self *self, short events) {
    struct link *link = &self->link;
    if (events == 0 || (link->is_fresh && !has_socket(self, events)))
        return;
    if (is_paused(self)) {
        link_lose(self, "the broker has closed the connection"); // nothing else was asked for
        return;
    }
    short wanted;
    int is_in_handshake = tls_is_in_handshake(self->client, &wanted);
    int error = MOSQ_ERR_SUCCESS;
    if (is_in_handshake || events != POLLOUT)
        error = mosquitto_loop_read(self->client, 1);
    if (error != MOSQ_ERR_SUCCESS)
        link_lose_with(self, error);
    else if (link->state == LINK_CONNECTS && link->is_outdated)
        link_start_over(self);
    else if (link->has_failed)
        link_lose(self, "no memory for a message"); // without its acknowledgement, so that it comes again
    else if (is_in_handshake && (events & (POLLERR | POLLHUP)))
        link_lose_with(self, MOSQ_ERR_CONN_LOST); // Libmosquitto would try for ever.
    link->has_failed = 0;
}
