// The instance: a place for its paths, and the queue of its calls. Those of `watch` and `rows` are tasks of their own.
#ifndef FILES_INSTANCE_H
#define FILES_INSTANCE_H

#include "once.h"
#include "place.h"
#include "queue.h"
#include "rows/progress.h"

struct spin_self {
    const spin_config *config;
    struct place place;
    struct queue queue;
    struct progresses progresses; /* of the calls of `rows` */
    struct once done;             /* for the queue, and for `save` and `restore` */
};

#endif
