// The instance: what all requests of a loop share.
#ifndef HTTP_INSTANCE_H
#define HTTP_INSTANCE_H

#include "engine.h"
#include "places.h"
#include "websocket/outbox.h"

struct spin_self {
    const spin_config *config;
    struct engine engine;
    struct places places;
    struct outboxes outboxes;
};

#endif
