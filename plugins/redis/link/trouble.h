// What the errors of a server mean. Their texts begin with a code in capital letters.
#ifndef REDIS_TROUBLE_H
#define REDIS_TROUBLE_H

#include "reply.h"

enum trouble {
    TROUBLE_LASTS,  /* the same request would fail again */
    TROUBLE_PASSES, /* the same request may succeed later */
    TROUBLE_AWAY,   /* this server can do nothing for the client now, and another one at this address might */
    TROUBLE_NO_GROUP /* the stream or its group is missing */
};

/* What an error means. */
enum trouble trouble_of(spin_string error);

/* Why a server is away; NULL if it is not. */
const char *trouble_away(spin_string error);

/* Whether an error begins with this text. */
int trouble_begins(spin_string error, const char *start);

#endif
