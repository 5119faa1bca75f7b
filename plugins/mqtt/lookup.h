// The addresses of a name. glibc asks for them on a thread of its own, which calls nothing of the plugin. So the plugin
// need not wait for an answer when it ends.
#ifndef MQTT_LOOKUP_H
#define MQTT_LOOKUP_H

#include "place.h"
#include <netdb.h>

struct lookup;

/* Begins; NULL without memory or a thread. For the thread of the client. */
struct lookup *lookup_begin(const struct place *place);

/* 0 when it has addresses, EAI_INPROGRESS as long as it has no answer, or another code of getaddrinfo. */
int lookup_state(struct lookup *lookup);

/* Writes the next address as digits; 0 after the last one. */
int lookup_next(struct lookup *lookup, char *address, size_t size);

/* Ends it at once, in any state; NULL: nothing. */
void lookup_end(struct lookup *lookup);

#endif
