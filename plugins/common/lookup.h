// The addresses of a name. glibc asks for them on a thread of its own, which calls nothing of the plugin. So the plugin
// need not wait for an answer when it ends.
#ifndef COMMON_LOOKUP_H
#define COMMON_LOOKUP_H

#include <netdb.h>
#include <stddef.h>

struct lookup;

/* Begins to look up a name and the number of a port, for a stream; NULL without memory or a thread. */
struct lookup *lookup_begin(const char *host, const char *port);

/* 0 when it has addresses, EAI_INPROGRESS as long as it has no answer, or another code of getaddrinfo. */
int lookup_state(struct lookup *lookup);

/* Writes why the name was not found, when the state is such a code. */
void lookup_explain(struct lookup *lookup, char *reason, size_t size);

/* The next address, which belongs to the lookup; NULL after the last one. */
const struct addrinfo *lookup_next(struct lookup *lookup);

/* Ends it at once, in any state; NULL: nothing. */
void lookup_end(struct lookup *lookup);

#endif
