// The calls that read and change files. One runs after the other, on a thread of the host that may block.
//
// `turn` is the only lock of the plugin besides those of its tasks. No function of the host is called under it.
#ifndef FILES_QUEUE_H
#define FILES_QUEUE_H

#include "files.h"
#include <pthread.h>

struct job;

struct queue {
    pthread_mutex_t turn;
    pthread_cond_t is_empty;
    /* Under `turn`. */
    struct job *first, **last; /* the jobs that wait, in order */
    int is_running;            /* whether a thread of the host serves it */
};

/* Zeroed memory becomes an empty queue; an error number after a failure. */
int queue_init(struct queue *queue);
void queue_free(struct queue *queue);

/* Adds a job, which the queue owns. Called by an effect. */
void queue_add(spin_self *self, struct job *job);

/* Waits until all jobs are done. */
void queue_finish(struct queue *queue);

#endif
