#include "send.h"
#include "../instance.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The most bytes of a command, without headers and data: two subjects of ours, or what a server has sent. */
enum { longest_command = 4096 };

/* With so many bytes that a server does not take, a message is not given back. It comes again by itself. */
enum { most_backlog = 1 << 20 };

static void command(spin_self *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void command(spin_self *self, const char *format, ...) {
    char text[longest_command];
    if (self->link.state != LINK_IS_UP)
        return;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size > 0 && (size_t)size < sizeof text)
        link_add(self, text, (size_t)size);
}

void send_inbox(spin_self *self) { command(self, "SUB %s.r.* %d\r\n", self->inbox, INBOX_TICKET); }

void send_subscribe(spin_self *self, const struct call *call) {
    unsigned long long ticket = call->ticket;
    if (call->kind == CALL_CONSUME)
        command(self, "SUB %s.c.%llu.* %llu\r\n", self->inbox, ticket, ticket);
    else
        command(self, "SUB %s %s%s%llu\r\n", call->subject.data, call->name.data,
                call->name.size > 0 ? " " : "", ticket);
}

void send_unsubscribe(spin_self *self, const struct call *call) {
    if (call->ticket > 0)
        command(self, "UNSUB %llu\r\n", (unsigned long long)call->ticket);
}

void send_message(spin_self *self, const struct call *call) {
    char reply[sizeof self->inbox + 32] = "", header[24] = "";
    if (call->ticket > 0)
        snprintf(reply, sizeof reply, " %s.r.%llu", self->inbox, (unsigned long long)call->ticket);
    if (call->header.size > 0)
        snprintf(header, sizeof header, " %zu", call->header.size);
    command(self, "%s %s%s%s %zu\r\n", call->header.size > 0 ? "HPUB" : "PUB", call->subject.data, reply,
            header, call->header.size + call->data.size);
    link_add(self, call->header.data, call->header.size);
    link_add(self, call->data.data, call->data.size);
    link_add(self, "\r\n", 2);
}

void request_subject(const struct call *call, const char *what, char *subject, size_t capacity) {
    snprintf(subject, capacity, "$JS.API.CONSUMER.%s.%s.%s", what, call->subject.data, call->name.data);
}

void send_request(spin_self *self, const struct call *call, const char *what, const char *order) {
    char subject[longest_command / 2];
    request_subject(call, what, subject, sizeof subject);
    command(self, "PUB %s %s.c.%llu.%lld %zu\r\n%s\r\n", subject, self->inbox,
            (unsigned long long)call->ticket, (long long)call->pull.number, strlen(order), order);
}

void send_back(spin_self *self, spin_string message) {
    if (pieces_size(&self->link.out) < most_backlog)
        command(self, "PUB %.*s 4\r\n-NAK\r\n", (int)message.size, message.data);
}
