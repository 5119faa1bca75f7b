// The first requests of a connection: they log in, choose the database, and see whether the server can be used.
#ifndef REDIS_GREETING_H
#define REDIS_GREETING_H

#include "link.h"

/* Begins with them: the socket has connected. */
void greeting_begin(struct link *link);

/* Handles an answer. */
int greeting_answer(struct link *link);

/* The server has accepted the client. Defined with the link. */
void link_is_accepted(struct link *link);

#endif
