// What a server reports as an error: it refuses a call, or the client.
#ifndef NATS_REFUSAL_H
#define NATS_REFUSAL_H

#include "../nats.h"

/* Fails the calls that it is about. Otherwise keeps it, as the connection may end. */
void refusal_hear(spin_self *self, spin_string text);

#endif
