// What the effects that last do when a connection is lost.
#ifndef HTTP_RECONNECT_H
#define HTTP_RECONNECT_H

#include "request.h"

/* How long it waits for the next connection in milliseconds, if no server says another time. */
enum { USUAL_RETRY = 3000 };

/* Whether the next connection would fail like this one. */
int failure_is_final(CURLcode code);

/* Wakes the request after `retry` milliseconds, or later when several connections have failed one after the other.
 * With a reason, logs `what` and the reason. */
void reconnect_later(struct request *request, int64_t retry, int failures, const char *what,
                     const char *reason);

#endif
