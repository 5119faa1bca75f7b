// How a connection opens: by its name, then by each address, then by what the session needs.
#ifndef POSTGRES_CONNECTING_H
#define POSTGRES_CONNECTING_H

#include "connection.h"

/* Serves the socket of a connection that opens. */
void connecting_continue(struct connection *connection);

/* This address does not do. Tries the next one of the name, or loses the connection. */
void connecting_fail(struct connection *connection, const char *reason);

/* Its time has come: it hears of the lookup, or gives an address up. */
void connecting_check(struct connection *connection);

/* The session is set up, or cannot be (a reason). */
void connecting_is_done(struct connection *connection, const char *reason);

#endif
