// The subjects by which JetStream hears what became of a message.
#ifndef NATS_ACK_H
#define NATS_ACK_H

#include "../nats.h"

/* What such a subject says of its message. */
struct ack {
    int64_t deliveries, sequence;
};

/* Whether the text is such a subject. */
int ack_is(spin_string subject);

/* Reads it; 0 if it is not one. */
int ack_read(spin_string subject, struct ack *ack);

#endif
