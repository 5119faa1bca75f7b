// What is read from the connection, and what is written.
#include "deliver.h"
#include "exchange.h"
#include "consume.h"
#include "instance.h"
#include "../std/utf8.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much it reads at once, and how often before other work has its turn. */
enum { piece = 1 << 16, most_pieces = 16 };

/* A buffer that a large message has left is given back. With so many bytes that a server does not take, its pings are
 * not answered. */
enum { large = 1 << 20 };

// Keeps what the server says, for the log and the loops.
static void keep_error(struct link *link, spin_string text) {
    char repaired[UTF8_REPAIRED_GROWTH * 128];
    size_t size = utf8_repair(text.data, text.size < 128 ? text.size : 128, repaired);
    snprintf(link->error, sizeof link->error, "%.*s", size < 200 ? (int)size : 200, repaired);
    size = strlen(link->error);
    link->error[utf8_valid(link->error, size)] = 0;
    for (char *next = link->error; *next; next++)
        if ((unsigned char)*next < ' ' || *next == 0x7f)
            *next = '?';
}

// What stands in the first quotes of a text; empty without them.
static spin_string quoted(spin_string text) {
    const char *begin = memchr(text.data, '"', text.size);
    const char *end = begin ? memchr(begin + 1, '"', text.size - (size_t)(begin + 1 - text.data)) : NULL;
    return end ? (spin_string){begin + 1, (size_t)(end - begin - 1)} : (spin_string){"", 0};
}

static int begins(spin_string text, const char *begin) {
    return text.size >= strlen(begin) && memcmp(text.data, begin, strlen(begin)) == 0;
}

// Fails the calls whose subscription is refused; how many.
static int refuse_subscription(struct calls *list, spin_string subject) {
    int count = 0;
    for (struct call *next, *call = list->first; call; call = next) {
        next = call->next;
        if (call->kind != CALL_SUBSCRIBE || call->subject.size != subject.size ||
            memcmp(call->subject.data, subject.data, subject.size) != 0)
            continue;
        call_fail(call, NATS_REFUSED, "the server refuses the subscription to `%.200s`", call->subject.data);
        count++;
    }
    return count;
}

// Answers of a refused inbox cannot come. Its subjects are those of consumers, too.
static int refuse_inbox(spin_self *self, spin_string subject) {
    size_t size = strlen(self->inbox);
    if (!begins(subject, self->inbox) || subject.size < size + 2 || subject.data[size] != '.')
        return 0;
    if (subject.data[size + 1] == 'r')
        exchange_refuse_answers(self);
    else
        consume_refuse_all(self);
    return 1;
}

static void hear_error(spin_self *self, spin_string text) {
    struct link *link = &self->link;
    spin_string subject = quoted(text);
    int is_known = 0;
    if (begins(text, "Permissions Violation for Publish"))
        is_known = exchange_refuse(self, subject) || consume_refuse(self, subject);
    else if (begins(text, "Permissions Violation for Subscription"))
        is_known = refuse_inbox(self, subject) || refuse_subscription(&self->subscribers, subject) +
                                                          refuse_subscription(&self->blocked, subject) >
                                                      0;
    if (is_known)
        return;
    keep_error(link, text);
    if (link->state == LINK_IS_UP && !link->has_complained)
        spin_log_with(NULL, SPIN_LOG_WARNING, "the server reports an error",
                      spin_field_text("error", link->error));
    link->has_complained = 1;
}

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
        hear_error(self, frame->text);
    else if (kind == FRAME_PONG)
        hear_pong(self);
    else if (kind == FRAME_PING && pieces_size(&link->out) < large)
        link_add(self, "PONG\r\n", 6);
    else if (kind == FRAME_MESSAGE)
        deliver(self, frame);
    else if (kind == FRAME_TOO_LARGE)
        deliver_too_large(self, frame);
}

// Handles all that is whole. What a frame leads to may end the connection.
static void handle_all(spin_self *self) {
    struct link *link = &self->link;
    size_t largest = (size_t)self->config->largest_message;
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
    snprintf(reason, sizeof reason, "%s: %s",
             link->state == LINK_IS_UP ? "the server has closed the connection"
                                       : "the server refuses the client",
             link->error);
    link_lose(self, link->error[0] ? reason : "the server has closed the connection");
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
