// The instance: its connections, and the calls that use them.
#ifndef POSTGRES_INSTANCE_H
#define POSTGRES_INSTANCE_H

#include "postgres.h"
#include "../common/engine.h"
#include "listen/listener.h"
#include "pool.h"
#include "connection/server.h"

/* From `start` to `stop`, the engine's function alone uses all but the engine itself. */
struct spin_self {
    const spin_config *config;
    struct server server;
    struct engine engine;
    struct pool pool;
    struct listener listener;
    int64_t due; /* when the function must run again */
    /* What the log says of the server last: that there is a connection, or why there is not; empty at first. */
    int is_connected;
    char reported[most_reason];
};

/* Has the function run not later than this. */
void instance_come(spin_self *self, int64_t due);

/* Has the log say why the server cannot be reached, or that it can (NULL); once for each change. */
void instance_report(spin_self *self, const char *reason);

#endif
