// The instance: its connections, and what its calls have.
#ifndef REDIS_INSTANCE_H
#define REDIS_INSTANCE_H

#include "../common/engine.h"
#include "commands.h"
#include "link/link.h"
#include "link/server.h"
#include "unsure.h"
#include <stdatomic.h>

struct subscription;
struct stream;

/* From `start` to `stop`, the engine's function alone uses all but the engine itself and `waiting`. */
struct spin_self {
    const spin_config *config;
    struct server server;
    struct engine engine;
    atomic_int waiting; /* how many calls `most_waiting` counts */
    struct link *links;
    struct commands commands;
    struct subscription *subscriptions;
    struct stream *streams;
    struct unsure unsure, earlier; /* commands of this instance, and of those before it */
    int64_t due;                   /* when the function must look at all times again */
};

/* Has the function look at all times not later than this. */
void instance_come(spin_self *self, int64_t due);

#endif
