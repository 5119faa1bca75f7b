// The way of messages from the connection to the loops.
#ifndef NATS_DELIVER_H
#define NATS_DELIVER_H

#include "../call.h"
#include "../wire/parser.h"

/* A message has come, or one that is too large. */
void deliver(spin_self *self, const struct frame *frame);
void deliver_too_large(spin_self *self, const struct frame *frame);

enum delivery {
    DELIVERY_IS_TAKEN,
    DELIVERY_WAITS,
    DELIVERY_FAILED /* without memory, or since the call is over */
};

/* Emits a message of a call, or holds it until there is room. */
enum delivery deliver_to(struct call *call, const struct message *message);

/* Emits what a call holds, as far as there is room; whether it holds nothing more. */
int deliver_held(struct call *call);

/* The same for all calls that hold messages of `subscribe` or an answer. Returns when to look again. */
int64_t deliver_blocked(spin_self *self, int64_t now);

/* After what time, in nanoseconds, a message is tried again for which there was no memory. */
#define DELIVERY_RETRY INT64_C(100000000)

#endif
