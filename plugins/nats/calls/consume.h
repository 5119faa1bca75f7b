// The calls of `consume`: each asks a consumer of JetStream for messages, a batch after the other.
#ifndef NATS_CONSUME_H
#define NATS_CONSUME_H

#include "../call.h"

/* A call has begun. */
void consume_take(spin_self *self, struct call *call);

/* A message has come for it, or what the server says of its request. */
void consume_hear(struct call *call, const struct message *message);

/* A message of it is dropped, which comes again later. Its data need not be there. */
void consume_drop(struct call *call, const struct message *message, const char *why);

/* The server refuses requests with this subject; 0 if no call has it. */
int consume_refuse(spin_self *self, spin_string subject);

/* The server refuses the subscriptions for messages. */
void consume_refuse_all(spin_self *self);

/* The connection is lost. */
void consume_lost(spin_self *self);

/* Emits what is held, and asks for more. Returns when to look again. */
int64_t consume_step(spin_self *self, int64_t now);

#endif
