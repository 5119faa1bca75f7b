#include "link.h"
#include "../calls/consume.h"
#include "../calls/exchange.h"
#include "../instance.h"
#include "note.h"
#include "send.h"
#include "../../common/patience.h"
#include <stdio.h>
#include <string.h>

/* How often it looks for the answer of a lookup, of which nobody tells. */
static const int64_t lookup_slice = 20000000;

void link_close(spin_self *self) {
    struct link *link = &self->link;
    stream_close(&link->stream); // The engine watches a closed socket no more.
    link->events = 0;
    parser_clear(&link->parser);
    pieces_free(&link->out);
    link->pings = link->pongs = 0;
    link->is_asked = link->has_no_memory = link->has_no_answers = link->has_complained = 0;
}

static void rest(spin_self *self) {
    struct link *link = &self->link;
    link->state = LINK_RESTS;
    link->failed = 0;
    link->due = spin_monotonic() +
                patience(self->config->reconnect_least, self->config->reconnect_most, ++link->tries);
}

// Goes to the next server, or rests after the last one.
static void leave_server(spin_self *self, const char *reason) {
    struct link *link = &self->link;
    size_t count = self->config->servers.count;
    lookup_end(link->lookup);
    link->lookup = NULL;
    note_failure(self, reason);
    if (++link->failed >= count) {
        rest(self);
    } else {
        link->state = LINK_RESTS;
        link->due = 0;
    }
    link->server = (link->server + 1) % count;
}

// Connects to the next address of the server. After the last one, the reason is why it cannot.
static void connect_next(spin_self *self, const char *reason) {
    struct link *link = &self->link;
    char text[most_reason];
    for (const struct addrinfo *next; (next = lookup_next(link->lookup));) {
        int error = stream_connect(&link->stream, next->ai_addr, next->ai_addrlen);
        if (error == 0) {
            link->state = LINK_CONNECTS;
            link->error[0] = 0;
            link->due = spin_monotonic() + self->config->connect_timeout;
            return;
        }
        const char *cause = strerrordesc_np(error);
        snprintf(text, sizeof text, "cannot connect: %s", cause ? cause : "unknown error");
        reason = text;
    }
    leave_server(self, reason);
}

static void ask(spin_self *self) {
    struct link *link = &self->link;
    const struct place *place = &self->places[link->server];
    link->lookup = lookup_begin(place->host, place->port);
    link->state = LINK_ASKS;
    if (!link->lookup)
        leave_server(self, "no memory or thread for a connection");
}

static void hear(spin_self *self) {
    char reason[most_reason];
    int state = lookup_state(self->link.lookup);
    if (state == EAI_INPROGRESS)
        return;
    if (state == 0) {
        connect_next(self, "the name has no address");
        return;
    }
    lookup_explain(self->link.lookup, reason, sizeof reason);
    leave_server(self, reason);
}

void link_begin(spin_self *self) {
    struct link *link = &self->link;
    *link = (struct link){.stream.socket = -1, .changes = 1};
    snprintf(link->reason, sizeof link->reason, "the client has not connected yet");
}

void link_lose(spin_self *self, const char *reason) {
    struct link *link = &self->link;
    char text[most_reason];
    snprintf(text, sizeof text, "%s", reason);
    int was_up = link->state == LINK_IS_UP;
    link_close(self);
    if (!was_up) {
        connect_next(self, text);
        return;
    }
    // A server that takes a client and drops it at once is not asked more often than one that is away.
    if (spin_monotonic() - link->up_since >= SHORTEST_HOLD)
        link->tries = 0;
    note_failure(self, text);
    rest(self);
    link->server = (link->server + 1) % self->config->servers.count;
    exchange_lost(self);
    consume_lost(self);
}

void link_has_socket(spin_self *self) {
    char reason[most_reason];
    int error = stream_error(&self->link.stream);
    if (error == 0) {
        self->link.state = LINK_LISTENS;
        return;
    }
    const char *cause = strerrordesc_np(error);
    snprintf(reason, sizeof reason, "cannot connect: %s", cause ? cause : "unknown error");
    link_lose(self, reason);
}

void link_is_greeted(spin_self *self) {
    struct link *link = &self->link;
    lookup_end(link->lookup);
    link->lookup = NULL;
    note_success(self);
    link->state = LINK_IS_UP;
    link->failed = 0;
    link->up_since = spin_monotonic();
    link->due = link->up_since + self->config->keep_alive;
    send_inbox(self);
    for (struct call *call = self->subscribers.first; call; call = call->next)
        send_subscribe(self, call);
    for (struct call *call = self->blocked.first; call; call = call->next)
        if (call->kind == CALL_SUBSCRIBE)
            send_subscribe(self, call);
    for (struct call *call = self->consumers.first; call; call = call->next)
        send_subscribe(self, call);
}

void link_advance(spin_self *self) {
    struct link *link = &self->link;
    int64_t now = spin_monotonic();
    if (link->has_no_memory)
        link_lose(self, "there is no memory for what is to be sent");
    if (link->state == LINK_IS_UP && link->due <= now) {
        if (link->is_asked) {
            link_lose(self, "the server is silent (setting `keep_alive`)");
        } else {
            link_ping(self);
            link->is_asked = 1;
            link->due = now + self->config->keep_alive;
        }
    } else if (link->state >= LINK_CONNECTS && link->state < LINK_IS_UP && link->due <= now) {
        link_lose(self, "the server does not answer (setting `connect_timeout`)");
    }
    if (link->state == LINK_RESTS && link->due <= now)
        ask(self);
    if (link->state == LINK_ASKS)
        hear(self);
}

int64_t link_due(const spin_self *self) {
    return self->link.state == LINK_ASKS ? spin_monotonic() + lookup_slice : self->link.due;
}

void link_add(spin_self *self, const void *data, size_t size) {
    if (!pieces_add(&self->link.out, data, size))
        self->link.has_no_memory = 1;
}

void link_ping(spin_self *self) {
    link_add(self, "PING\r\n", 6);
    self->link.pings++;
}
