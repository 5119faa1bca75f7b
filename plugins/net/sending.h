// What goes over a connection, in the order of the calls.
#ifndef NET_SENDING_H
#define NET_SENDING_H

#include "connection.h"

/* How long a peer may take nothing of what is sent, when it sends no more or the app closes the connection. */
static const int64_t longest_stall = 10000000000;

/* Begins a call of `send`, or fails it. */
void sending_take(spin_self *self, struct job *job);

/* Sends what the system takes, and then closes the connection if the app has. */
void sending_run(spin_self *self, struct connection *connection);

/* Whether calls wait to be sent, or the rest of one that was cancelled. */
int sending_waits(const struct connection *connection);

/* Whether the peer has taken bytes of the system's since the last look. The first look says so if there are any. */
int sending_moves(struct connection *connection);

/* Lets go of calls that are over. */
void sending_sweep(spin_self *self, struct connection *connection);

/* Fails all calls. */
void sending_fail(struct connection *connection, const char *reason);

/* Lets go of all calls. In a swap, the next instance gets the first one again. */
void sending_leave(struct connection *connection);

#endif
