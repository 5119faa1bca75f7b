// What is read from the connection, and what is written.
#include "../calls/deliver.h"
#include "../calls/exchange.h"
#include "refusal.h"
#include "../instance.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much it reads at once, and how often before other work has its turn. */
enum { piece = 1 << 16, most_pieces = 16 };

/* Answers of JetStream have so many bytes at most. They come also if messages for loops may have fewer. */
enum { least_message = 1 << 16 };

/* A buffer that a large message has left is given back. With so many bytes that a server does not take, its pings are
 * not answered. */
enum { large = 1 << 20 };

static void hear_pong(spin_self *self) {
    struct link *link = &self->link;
    if (++link->pongs > link->pings)
        link_lose(self, "the server has sent an answer to nothing");
    else if (link->state == LINK_GREETS)
        link_is_greeted(self);
    else
        exchange_confirm(self, link->pongs);
}

static void handle(spin_self *self, enum frame_kind kind, const struct frame *frame) {
    struct link *link = &self->link;
    if (kind == FRAME_ERROR)
        refusal_hear(self, frame->text);
    else if (kind == FRAME_PONG)
        hear_pong(self);
    else if (kind == FRAME_PING && pieces_size(&link->out) < large)
        link_add(self, "PONG\r\n", 6);
    else if (kind == FRAME_MESSAGE)
        deliver(self, frame);
    else if (kind == FRAME_TOO_LARGE)
        deliver_too_large(self, frame);
}

// Handles all frames that are whole. Each of them may end the connection.
static void handle_all(spin_self *self) {
    struct link *link = &self->link;
    size_t largest = (size_t)self->config->largest_message;
    if (largest < least_message)
        largest = least_message;
    struct frame frame;
    enum frame_kind kind;
    while (link->state >= LINK_LISTENS &&
           (kind = parser_next(&link->parser, largest, &frame)) != FRAME_NONE) {
        int is_early = link->state == LINK_LISTENS && kind != FRAME_INFO && kind != FRAME_ERROR;
        if (kind == FRAME_IS_DAMAGED || is_early) {
            link_lose(self, "what the server sends is not NATS");
            return;
        }
        if (kind == FRAME_INFO) {
            struct frame info = frame;
            char *copy = malloc(info.text.size + 1);
            if (!copy) {
                link_lose(self, "no memory for what the server says");
                return;
            }
            memcpy(copy, info.text.data, info.text.size);
            info.text.data = copy;
            parser_take(&link->parser);
            greet(self, info.text);
            free(copy);
            continue;
        }
        enum link_state before = link->state;
        handle(self, kind, &frame);
        if (link->state < before)
            return; // The bytes are gone with the connection.
        parser_take(&link->parser);
    }
}

static void lose(spin_self *self) {
    struct link *link = &self->link;
    char reason[most_reason + 64];
    const char *cause = link->error[0] ? link->error : link->stream.refusal;
    snprintf(reason, sizeof reason, "%s: %s",
             link->state == LINK_IS_UP ? "the server has closed the connection"
                                       : "the server refuses the client",
             cause ? cause : "");
    link_lose(self, cause ? reason : "the server has closed the connection");
}

static void hear_all(spin_self *self) {
    struct link *link = &self->link;
    for (int i = 0; i < most_pieces || stream_has_more(&link->stream); i++) {
        char *target = pieces_reserve(&link->parser.received, piece);
        ssize_t count = target ? stream_read(&link->stream, target, piece) : -1;
        if (!target)
            link_lose(self, "no memory for what the server sends");
        else if (count < 0)
            lose(self);
        if (!target || count <= 0)
            return;
        pieces_extend(&link->parser.received, (size_t)count);
        if (link->state == LINK_IS_UP) {
            link->is_asked = 0;
            link->due = spin_monotonic() + self->config->keep_alive;
        }
        handle_all(self);
        if (link->state < LINK_LISTENS || link->state == LINK_HANDSHAKES)
            return;
    }
}

static void shake_hands(spin_self *self) {
    struct link *link = &self->link;
    char reason[most_reason];
    int result = stream_handshake(&link->stream, reason, sizeof reason);
    if (result < 0)
        link_lose(self, reason);
    else if (result > 0)
        greet_back(self);
}

void traffic_serve(spin_self *self, uint32_t events) {
    struct link *link = &self->link;
    if (link->state == LINK_CONNECTS && events != 0)
        link_has_socket(self);
    else if (link->state >= LINK_LISTENS && link->state != LINK_HANDSHAKES && events & ~(uint32_t)EPOLLOUT)
        hear_all(self);
    if (link->state == LINK_HANDSHAKES)
        shake_hands(self); // Its first bytes are those of the client.
    if (link->parser.received.capacity > large && pieces_size(&link->parser.received) == 0)
        pieces_free(&link->parser.received);
}

void traffic_write(spin_self *self) {
    struct link *link = &self->link;
    while (link->state >= LINK_GREETS && pieces_size(&link->out) > 0) {
        ssize_t count =
            stream_write(&link->stream, link->out.data + link->out.start, pieces_size(&link->out));
        if (count < 0)
            lose(self);
        if (count <= 0)
            return;
        link->out.start += (size_t)count;
        link->out.searched = link->out.start;
    }
    if (link->out.capacity > large && pieces_size(&link->out) == 0)
        pieces_free(&link->out);
}

void traffic_watch(spin_self *self) {
    struct link *link = &self->link;
    if (link->stream.socket < 0)
        return;
    uint32_t events = link->state == LINK_CONNECTS     ? EPOLLOUT
                      : link->state == LINK_HANDSHAKES ? stream_handshake_events(&link->stream)
                      : pieces_size(&link->out) > 0    ? EPOLLIN | EPOLLOUT
                                                       : EPOLLIN;
    if (events == link->events)
        return;
    struct epoll_event event = {.events = events, .data.ptr = link};
    int operation = link->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(self->engine.events, operation, link->stream.socket, &event) == 0)
        link->events = events;
    else
        link_lose(self, "the system cannot watch the connection");
}
