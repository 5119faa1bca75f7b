// What drives an instance from `start` to `stop`: a poll of the host, whose function does all the work. So a plugin
// that waits for descriptors needs no thread.
//
// The host polls an epoll descriptor, which has the plugin's descriptors and a bell. So the plugin sees a hang-up also
// while it reads nothing, and changes events without the host. Effects, cancellations, timers and room ring the bell.
//
// `turn` is the only lock. No function of the host is called under it.
#ifndef COMMON_ENGINE_H
#define COMMON_ENGINE_H

#include "lasting.h"
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>

/* How many events the function gets at most. */
enum { most_engine_events = 64 };

/* What a plugin does in the function. */
struct engine_kind {
    /* A call that has begun. */
    void (*take)(spin_self *self, struct lasting *lasting);
    /* Does what there is to do, after such events of the plugin's descriptors. `has_ends`: a call is over that the
     * plugin still has. Returns when to come again, as spin_monotonic counts; INT64_MAX: not by itself. */
    int64_t (*step)(spin_self *self, const struct epoll_event *events, int count, int has_ends);
};

struct engine {
    const struct engine_kind *kind;
    spin_self *self;
    spin_call *call; /* lasts from `start` to `stop` */
    int events;      /* the epoll descriptor, for the plugin's own; -1 before `start` */
    int64_t armed;   /* when the timer is due; INT64_MAX without one */
    spin_timer timer;
    atomic_int has_ends;

    pthread_mutex_t turn;
    pthread_cond_t changed; /* broadcast when a call is freed, and at the end of the poll */
    /* Under `turn`. */
    int bell;                      /* an eventfd; -1 before `start` */
    struct lasting *first, **last; /* the calls that the function has not seen */
    size_t calls;                  /* how many are not freed */
    int has_fired;                 /* whether the timer was due */
    int is_polled;
};

/* Zeroed memory becomes an engine that does not run; an error number after a failure. */
int engine_init(struct engine *engine, spin_self *self, const struct engine_kind *kind);

/* Waits until all calls are freed, and frees the rest. */
void engine_destroy(struct engine *engine);

/* Makes the descriptors, and has the host call the function. Both return NULL, or why they cannot. */
const char *engine_open(struct engine *engine, spin_call *call);
const char *engine_start(struct engine *engine);

/* Ends `start` or `restore`: returns SPIN_OK without a reason (NULL). Otherwise it gives the reason to the host, and
 * returns the code. */
spin_status engine_outcome(spin_call *call, spin_status code, const char *reason);

/* Waits until the function will not run any more, and drops the calls that it has not seen. The host has ended all
 * calls. The plugin then drops its own, and closes the descriptors. */
void engine_stop(struct engine *engine);
void engine_close(struct engine *engine);

/* Counts a call, gives it to the function, and forgets one that was freed. */
void engine_count(struct engine *engine);
void engine_add(struct engine *engine, struct lasting *lasting);
void engine_forget(struct engine *engine);

/* Has the function run, or tell the plugin that a call is over. On any thread, as the three before. */
void engine_ring(struct engine *engine);
void engine_note_end(struct engine *engine);

#endif
