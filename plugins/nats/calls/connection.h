#ifndef NATS_CONNECTION_H
#define NATS_CONNECTION_H

#include "../nats.h"

/* Tells the calls of `connection` what has changed since they heard of it last. */
void connection_tell(spin_self *self);

#endif
