// What goes over a connection that is open, both ways.
#ifndef POSTGRES_EXCHANGE_H
#define POSTGRES_EXCHANGE_H

#include "connection.h"

/* Sends what the socket takes, and has the engine watch it for the rest and for what comes. */
void exchange_flush(struct connection *connection);

/* Reads what has come, and gives the results to the owner. */
void exchange_read(struct connection *connection);

#endif
