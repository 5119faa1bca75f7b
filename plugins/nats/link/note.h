// What the log and the calls of `connection` hear of the connection.
#ifndef NATS_NOTE_H
#define NATS_NOTE_H

#include "../nats.h"

/* The present server is not connected, or is not any more. Each server says the same reason once. */
void note_failure(spin_self *self, const char *reason);

/* The present server is connected. */
void note_success(spin_self *self);

#endif
