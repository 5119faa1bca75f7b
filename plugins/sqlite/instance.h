// The instance: one connection to one database, and the thread that uses it.
#ifndef SQLITE_INSTANCE_H
#define SQLITE_INSTANCE_H

#include "connection.h"
#include "engine.h"
#include "watch.h"

struct spin_self {
    const spin_config *config;
    struct engine engine;
    struct connection connection;
    struct watch watch;
};

#endif
