// The connections that peers have opened, by their numbers.
#ifndef NET_ACCEPTED_H
#define NET_ACCEPTED_H

#include "connection.h"

/* Adds one, which has its number; 0 without memory. */
int accepted_add(spin_self *self, struct connection *connection);

/* The one of this name; NULL without one. */
struct connection *accepted_find(const spin_self *self, const char *name);

void accepted_remove(spin_self *self, const struct connection *connection);

#endif
