// The calls that send something, and end when the server or another client has answered.
#ifndef NATS_EXCHANGE_H
#define NATS_EXCHANGE_H

#include "../call.h"

/* A call has begun. */
void exchange_take(spin_self *self, struct call *call);

/* Sends what waits for a connection, and fails what has waited for too long. Returns when to look again. */
int64_t exchange_step(spin_self *self, int64_t now);

/* The server has read all that was sent before so many pings. */
void exchange_confirm(spin_self *self, uint64_t pings);

/* The first answer to a call has come. */
void exchange_answer(struct call *call, const struct message *message);

/* The server refuses messages with this subject; 0 if no call has it. */
int exchange_refuse(spin_self *self, spin_string subject);

/* The server refuses the subscription for answers. */
void exchange_refuse_answers(spin_self *self);

/* The connection is lost. Messages that may be sent twice wait for the next one. */
void exchange_lost(spin_self *self);

#endif
