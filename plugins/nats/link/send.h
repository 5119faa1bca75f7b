// The commands for the server. Without a connection they do nothing: each new one begins with what is there.
#ifndef NATS_SEND_H
#define NATS_SEND_H

#include "../call.h"

/* The number of the subscription for answers. Calls have greater ones. */
enum { INBOX_TICKET = 1 };

/* Says which answers, and which messages of a call, are to come. */
void send_inbox(spin_self *self);
void send_subscribe(spin_self *self, const struct call *call);
void send_unsubscribe(spin_self *self, const struct call *call);

/* Sends the message of a call. Its answer, if it has a number, comes to the inbox. */
void send_message(spin_self *self, const struct call *call);

/* Asks JetStream for something of a consumer: `MSG.NEXT`, or `INFO`. The answers come to the call. */
void send_request(spin_self *self, const struct call *call, const char *what, const char *order);

/* The subject of that. */
void request_subject(const struct call *call, const char *what, char *subject, size_t capacity);

/* Gives a message back, which no loop has taken. */
void send_back(spin_self *self, spin_string message);

#endif
