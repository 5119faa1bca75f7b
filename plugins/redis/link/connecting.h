// How a link gets its connection.
#ifndef REDIS_CONNECTING_H
#define REDIS_CONNECTING_H

#include "link.h"

/* The socket has connected, or cannot. */
void connecting_event(struct link *link);

/* Its time has come: it begins, hears of the lookup, or gives an address up. */
void connecting_check(struct link *link);

#endif
