#include "client.h"
#include "library.h"
#include "subscription.h"
#include "../common/patience.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* How long a connection may take to come up, in seconds, and how often it looks for the answer of a lookup, of which
 * nobody tells, in nanoseconds. */
enum { longest_connect = 10, lookup_slice = 20000000 };
#define SECOND INT64_C(1000000000)

// Calls and the log hear of a change.
static void note(spin_self *self, const char *reason) {
    struct link *link = &self->link;
    if (reason && link->state != LINK_IS_UP && strcmp(reason, link->reason) == 0)
        return;
    link->changes++;
    snprintf(link->reason, sizeof link->reason, "%s", reason ? reason : "");
    char broker[place_name_size];
    place_name(self->place.host, self->place.port, broker);
    if (reason)
        spin_log_with(NULL, SPIN_LOG_WARNING, "not connected to the broker",
                      spin_field_text("broker", broker), spin_field_text("reason", reason));
    else
        spin_log_with(NULL, SPIN_LOG_INFO, "connected to the broker", spin_field_text("broker", broker));
}

static void rest(spin_self *self, const char *reason) {
    struct link *link = &self->link;
    lookup_end(link->lookup);
    link->lookup = NULL;
    note(self, reason);
    // A broker that takes a client and drops it at once is not asked more often than one that is away.
    if (link->state == LINK_IS_UP && monotonic_now() - link->up_since >= SHORTEST_HOLD)
        link->tries = 0;
    link->state = LINK_RESTS;
    link->due = monotonic_now() +
                patience(self->config->reconnect_least, self->config->reconnect_most, ++link->tries);
}

// Has libmosquitto connect to the next address of the broker. After the last one, the reason is why it cannot.
static void connect_next(spin_self *self, const char *reason) {
    struct link *link = &self->link;
    char address[64], text[sizeof link->reason];
    for (const struct addrinfo *next; (next = lookup_next(link->lookup));) {
        if (getnameinfo(next->ai_addr, next->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST) !=
            0)
            continue;
        int error = mosquitto_connect_async(self->client, address, atoi(self->place.port),
                                            (int)(self->config->keep_alive / SECOND));
        if (error == MOSQ_ERR_SUCCESS) {
            fcntl(mosquitto_socket(self->client), F_SETFD, FD_CLOEXEC);
            link->state = LINK_CONNECTS;
            link->is_fresh = link->is_whole = 1;
            link->due = monotonic_now() + longest_connect * SECOND;
            return;
        }
        const char *cause = error == MOSQ_ERR_ERRNO ? strerrordesc_np(errno) : NULL;
        snprintf(text, sizeof text, "cannot connect: %s", cause ? cause : mosquitto_strerror(error));
        reason = text;
    }
    rest(self, reason);
}

void link_lose(spin_self *self, const char *reason) {
    struct link *link = &self->link;
    char text[sizeof link->reason];
    snprintf(text, sizeof text, "%s", reason);
    int socket = mosquitto_socket(self->client);
    if (socket >= 0)
        shutdown(socket, SHUT_RDWR); // Libmosquitto closes it before the next one.
    if (link->state == LINK_CONNECTS) {
        connect_next(self, text);
        return;
    }
    rest(self, text);
    link->is_outdated = !self->config->keeps_session;
    hold_is_lost(&self->hold);
    publish_is_lost(self);
    subscriptions_are_lost(self);
}

void link_lose_with(spin_self *self, int error) {
    struct link *link = &self->link;
    const char *refusal = link->state == LINK_CONNECTS ? tls_refusal(self->client) : NULL;
    char text[sizeof link->reason];
    snprintf(text, sizeof text, "%s", mosquitto_strerror(error));
    if (refusal)
        snprintf(text, sizeof text, "the certificate of the broker is refused: %s", refusal);
    else if (error == MOSQ_ERR_CONN_REFUSED && link->refusal)
        snprintf(text, sizeof text, "the broker refuses the client: %s", link->refusal);
    else if (error == MOSQ_ERR_CONN_LOST)
        snprintf(text, sizeof text, "the broker has closed the connection");
    else if (error == MOSQ_ERR_KEEPALIVE)
        snprintf(text, sizeof text, "the broker is silent (setting `keep_alive`)");
    else if (error == MOSQ_ERR_PROTOCOL || error == MOSQ_ERR_MALFORMED_PACKET ||
             error == MOSQ_ERR_MALFORMED_UTF8)
        snprintf(text, sizeof text, "the broker has sent a packet that is not valid");
    link_lose(self, text);
}

void link_has_connected(spin_self *self, int code, int is_resumed) {
    static const char *const refusals[] = {"",
                                           "it does not speak MQTT 3.1.1",
                                           "it does not take the client id",
                                           "it is not available",
                                           "the user or the password is wrong",
                                           "the user is not allowed to connect"};
    struct link *link = &self->link;
    link->refusal = code > 0 && code < (int)(sizeof refusals / sizeof *refusals) ? refusals[code] : NULL;
    if (code != 0 || link->state != LINK_CONNECTS)
        return;
    link->is_outdated = link->is_used && !is_resumed;
    if (link->is_outdated)
        return;
    lookup_end(link->lookup);
    link->lookup = NULL;
    link->state = LINK_IS_UP;
    link->is_used = 1;
    link->is_resumed = is_resumed && !link->has_lost_session;
    link->has_lost_session = 0;
    link->up_since = monotonic_now();
    link->due = link->up_since + self->config->keep_alive / 4;
    self->hold.has_complained = 0;
    note(self, NULL);
}

// Libmosquitto keeps messages of QoS 1 and 2 for the next connection. A broker without them counts from 1 again, and
// libmosquitto would take its next message for an old one with the same number.
static int renew(spin_self *self) {
    struct link *link = &self->link;
    if (!link->is_outdated)
        return 1;
    if (!library_renew(self))
        return 0;
    publish_take_back(self);
    link->is_used = link->is_outdated = 0;
    return 1;
}

static void ask(spin_self *self) {
    struct link *link = &self->link;
    link->lookup = renew(self) ? lookup_begin(self->place.host, self->place.port) : NULL;
    if (link->lookup)
        link->state = LINK_ASKS;
    else
        rest(self, "no memory or thread for a connection");
}

void link_start_over(spin_self *self) {
    struct link *link = &self->link;
    link_part(self);
    lookup_end(link->lookup);
    link->lookup = NULL;
    link->has_lost_session = 1;
    link->state = LINK_RESTS;
    link->due = monotonic_now();
}

static void hear(spin_self *self) {
    char reason[sizeof self->link.reason];
    int state = lookup_state(self->link.lookup);
    if (state == EAI_INPROGRESS)
        return;
    if (state == 0) {
        connect_next(self, "the name has no address");
        return;
    }
    lookup_explain(self->link.lookup, reason, sizeof reason);
    rest(self, reason);
}

static int has_unread(spin_self *self) {
    struct pollfd place = {mosquitto_socket(self->client), POLLIN, 0};
    return poll(&place, 1, 0) > 0;
}

// Shows the broker that the client is alive, and looks whether the broker is.
static void stay_alive(spin_self *self, int64_t now) {
    static const uint8_t ping[] = {0xc0, 0};
    struct link *link = &self->link;
    link->due = now + self->config->keep_alive / 4;
    if (self->hold.first || has_unread(self)) {
        // The answer of the broker may be among what is not read.
        if (link->is_whole)
            tls_send(self->client, ping, sizeof ping);
        return;
    }
    int error = mosquitto_loop_misc(self->client);
    if (error != MOSQ_ERR_SUCCESS)
        link_lose_with(self, error);
}

int64_t link_advance(spin_self *self) {
    struct link *link = &self->link;
    int64_t now = monotonic_now();
    if (link->state == LINK_RESTS && link->due <= now)
        ask(self);
    if (link->state == LINK_ASKS)
        hear(self);
    if (link->state == LINK_CONNECTS && link->due <= now)
        link_lose(self, "the broker does not answer within 10 s");
    if (link->state == LINK_IS_UP && link->due <= now)
        stay_alive(self, now);
    return link->state == LINK_ASKS ? now + lookup_slice : link->due;
}
