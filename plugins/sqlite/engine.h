// The thread of an instance. From `start` to `stop` it alone uses the connection, for one job after the other.
//
// Lock order: `turn` is the only lock of the plugin. No function of the host is called under it, and of SQLite
// sqlite3_interrupt alone.
#ifndef SQLITE_ENGINE_H
#define SQLITE_ENGINE_H

#include "sqlite.h"
#include "../common/thread.h"
#include <pthread.h>
#include <stddef.h>

struct job;

struct engine {
    pthread_mutex_t turn;
    /* Broadcast when a job is added, cancelled or freed, and at the end of the thread. */
    pthread_cond_t changed;

    /* Under `turn`. */
    struct job *first, *last; /* the jobs that wait, in order */
    struct job *current;      /* the one that the thread runs; only the thread changes it */
    size_t jobs;              /* how many are not freed */
    int is_open;              /* whether the thread waits for more jobs */

    pthread_t thread;
};

/* Zeroed memory becomes an engine without a thread; an error number after a failure. */
int engine_init(struct engine *engine);

/* Begins the thread; an error number after a failure. */
int engine_start(spin_self *self);

/* Ends the thread and what it runs. The host has ended all calls. */
void engine_stop(spin_self *self);

/* Waits until all jobs are freed, and frees the rest. */
void engine_destroy(struct engine *engine);

/* Counts a job, and gives it to the thread. */
void engine_count(struct engine *engine);
void engine_add(struct engine *engine, struct job *job);

/* Cancels a job at once, wherever it is. On any thread. */
void engine_cancel(spin_self *self, struct job *job);

/* A job was freed. On any thread. */
void engine_forget(struct engine *engine);

/* Whether the job that the thread runs was cancelled. */
int engine_is_cancelled(struct engine *engine);

/* Waits until this time of monotonic_now; 0 when the job that the thread runs was cancelled. */
int engine_wait(struct engine *engine, int64_t time);

#endif
