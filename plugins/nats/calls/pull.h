// The requests of a call of `consume`: for the consumer, and then for its messages.
#ifndef NATS_PULL_H
#define NATS_PULL_H

#include "../call.h"

/* Asks for the consumer, or for the next messages. */
void pull_ask(struct call *call, int64_t now);

/* The server says something of a request. */
void pull_hear(struct call *call, const struct message *message);

/* One of the messages has come that it has asked for. While it asks for the consumer, the message is a late one. */
void pull_note_message(struct call *call);

/* Asks again later. The loop and the log hear of a reason once; NULL: nothing to hear. */
void pull_wait(struct call *call, const char *reason);

/* Whether a request of the call has this subject. */
int pull_has_subject(const struct call *call, spin_string subject);

#endif
