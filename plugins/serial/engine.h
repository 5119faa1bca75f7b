// What drives an instance from `start` to `stop`: a poll of the host, whose function does all the work.
//
// The host polls an epoll descriptor, which has the device and a bell. So the plugin sees a hang-up also while it reads
// nothing, and changes the events of the device without the host. Effects, cancellations, timers and room ring the
// bell.
//
// `turn` is the only lock of the plugin. No function of the host is called under it.
#ifndef SERIAL_ENGINE_H
#define SERIAL_ENGINE_H

#include "serial.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct job;

/* What the epoll descriptor watches, as its events name it. */
enum { ENGINE_BELL, ENGINE_DEVICE };

struct engine {
    spin_call *call; /* lasts from `start` to `stop` */
    int events;      /* the epoll descriptor; -1 before `start` */
    int64_t armed;   /* when the timer is due, as spin_monotonic counts; INT64_MAX without one */
    spin_timer timer;
    atomic_int has_ends; /* whether a job was cancelled that a part still has */

    pthread_mutex_t turn;
    pthread_cond_t changed; /* broadcast when a job is freed, and at the end of the poll */
    /* Under `turn`. */
    int bell;                  /* an eventfd; -1 before `start` */
    struct job *first, **last; /* the calls that the function has not seen */
    size_t jobs;               /* how many are not freed */
    int has_fired;             /* whether the timer was due */
    int is_polled;
};

/* Zeroed memory becomes an engine that does not run; an error number after a failure. */
int engine_init(struct engine *engine);

/* Waits until all jobs are freed, and frees the rest. */
void engine_destroy(struct engine *engine);

/* Makes the descriptors, and has the host call the function. Both return NULL, or why they cannot. */
const char *engine_open(spin_self *self, spin_call *call);
const char *engine_start(spin_self *self);

/* Waits until the function will not run any more, ends all jobs and closes the descriptors. The host has ended all
 * calls. */
void engine_stop(spin_self *self);

/* Counts a job, gives it to the function, and forgets one that was freed. */
void engine_count(spin_self *self);
void engine_add(struct job *job);
void engine_forget(spin_self *self);

/* Has the function run. On any thread, as the three before. */
void engine_ring(spin_self *self);

#endif
