// Messages for which a loop had no room.
#ifndef NATS_HOLD_H
#define NATS_HOLD_H

#include "../wire/message.h"

struct held {
    struct held *next;
    int64_t missed; /* how many were dropped before it */
    struct message message;
};

/* Zeroed memory is an empty one. */
struct hold {
    struct held *first, *last;
    int64_t count, missed; /* how many there are, and how many were dropped behind the last one */
    size_t bytes;
    int has_complained; /* whether the log says that messages were dropped */
};

/* Keeps a copy of a message behind the others; 0 without memory. */
int hold_add(struct hold *hold, const struct message *message);

/* Drops the first one. */
void hold_pop(struct hold *hold);

void hold_free(struct hold *hold);

#endif
