// Datagrams of UDP.
#ifndef NET_DATAGRAM_H
#define NET_DATAGRAM_H

#include "endpoint.h"

/* Receives what has come to a `receive`. */
void datagram_receive(spin_self *self, struct endpoint *endpoint);

/* Emits what has found no room, and has the engine look for more. */
void datagram_resume(spin_self *self, struct endpoint *endpoint);

/* Serves a call of `send_to`. */
void datagram_send(spin_self *self, struct job *job);

#endif
