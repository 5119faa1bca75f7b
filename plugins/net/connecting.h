// How `connect` gets a connection, and another one when that is lost.
#ifndef NET_CONNECTING_H
#define NET_CONNECTING_H

#include "endpoint.h"

/* Begins to connect. */
void connecting_begin(spin_self *self, struct endpoint *endpoint);

/* The socket has connected, or cannot. */
void connecting_event(spin_self *self, struct endpoint *endpoint);

/* Its time has come: it begins, hears of the lookup, or gives an address up. */
void connecting_check(spin_self *self, struct endpoint *endpoint);

/* A connection has ended: another one will follow. */
void connecting_again(spin_self *self, struct endpoint *endpoint, const struct connection *connection);

/* Gives up a lookup or a socket that is about to connect. */
void connecting_stop(spin_self *self, struct endpoint *endpoint);

#endif
