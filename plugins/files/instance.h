// The instance: a place for its paths, and the queue of its calls. Watches are tasks of their own.
#ifndef FILES_INSTANCE_H
#define FILES_INSTANCE_H

#include "place.h"
#include "queue.h"

struct spin_self {
    const spin_config *config;
    struct place place;
    struct queue queue;
    /* The run of the call that has changed a file last. For the queue, and for `save` and `restore`. */
    char done[SPIN_RUN_KEY_SIZE];
};

#endif
