// The thread of a server: it runs libmicrohttpd, and does what is due.
#ifndef SERVE_WORKING_H
#define SERVE_WORKING_H

#include "server.h"

/* Runs until the server is not open. Then it answers the requests that wait with 503, and cuts streams. */
void *working_run(void *self);

#endif
