// What comes from a connection, and what its loop hears of it.
#ifndef NET_READING_H
#define NET_READING_H

#include "connection.h"

/* Emits what the loop does not know yet; 0 if it has no room. A connection whose end was told is removed. */
int reading_emit(spin_self *self, struct connection *connection);

/* Reads once if it may, or all if nothing more will come. `is_dead`: the engine has seen a hang-up. */
void reading_run(spin_self *self, struct connection *connection, int is_dead);

/* From now on the connection has another framing: it finds other ends in what has come. */
void reading_reframe(struct connection *connection);

/* Whether it would read what comes. */
int reading_wants(const struct connection *connection);

#endif
