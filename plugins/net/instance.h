// The instance: what its calls have open.
#ifndef NET_INSTANCE_H
#define NET_INSTANCE_H

#include "../common/engine.h"
#include "endpoint.h"

/* From `start` to `stop`, the engine's function alone uses all but the engine itself. */
struct spin_self {
    const spin_config *config;
    struct engine engine;
    struct endpoint *endpoints;
    /* Connections that peers have opened, by their numbers. */
    struct connection **accepted;
    size_t accepted_count, accepted_capacity;
    uint64_t number;         /* of the next one */
    char nonce[17];          /* by which no other instance has a connection of the same name */
    int64_t due;             /* when the function must look at all times again */
    int has_changed;         /* whether an accepted connection has ended, so that others may come */
    struct connection *dead; /* freed at the end of the function, as events may still name them */
    struct endpoint *dead_endpoints;
    uint8_t *memory; /* for a text that is repaired, or a datagram */
    size_t capacity;
    /* An eventfd, which instances of this process hand over together with the sockets. It is 1 while no started
     * instance uses them. The instance that takes the 1 in the end closes them in order. */
    int owner;
    int has_started; /* whether this instance has used them */
};

/* Has the function look at all times not later than this. */
void instance_come(spin_self *self, int64_t due);

/* Memory of this size, valid until the next call; NULL without it. */
uint8_t *instance_memory(spin_self *self, size_t size);

#endif
