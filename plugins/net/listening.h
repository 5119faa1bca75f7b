// The sockets of `listen` and `receive`.
#ifndef NET_LISTENING_H
#define NET_LISTENING_H

#include "endpoint.h"

/* Opens the socket of a call. If another program has the address, it tries again later; otherwise the call fails. */
void listening_open(spin_self *self, struct endpoint *endpoint);

/* Its time has come: it opens or accepts again. */
void listening_again(spin_self *self, struct endpoint *endpoint);

/* Another instance, which the host has taken back, has ended the socket: opens another one. */
void listening_reopen(spin_self *self, struct endpoint *endpoint);

/* Accepts connections that wait. */
void listening_accept(spin_self *self, struct endpoint *endpoint);

/* Has the engine look for connections, if there may be more. */
void listening_watch(spin_self *self, struct endpoint *endpoint);

/* The address of the socket, with the port that the system has chosen. */
spin_string listening_at(const struct endpoint *endpoint, char text[address_size]);

/* Closes the socket, and removes the file of a local one. */
void listening_close(spin_self *self, struct endpoint *endpoint);

#endif
