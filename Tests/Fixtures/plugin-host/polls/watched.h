// The polls and timers that a plugin has started.
#ifndef PLUGIN_HOST_WATCHED_H
#define PLUGIN_HOST_WATCHED_H

#include "../host.h"
#include <pthread.h>

/* A poll, or a timer. */
struct watched {
    uint64_t number; /* 0: the place is free */
    spin_call *call;
    int descriptor; /* -1 for a timer */
    int64_t due;
    void (*function)(void *context, uint64_t value);
    void (*release)(void *context);
    void *context;
    int is_running, has_ended;
};

/* Guards all of them, and the time. The caller holds it where nothing else is said. */
extern pthread_mutex_t watched_turn;

/* A timer has begun, or the thread is idle. */
extern pthread_cond_t watched_changed;

/* Of the thread that waits for descriptors. */
extern int watched_epoll;

/* NULL if it has ended. */
struct watched *watched_find(uint64_t number);

struct watched *watched_add(struct watched given);

/* Frees the place, if nothing runs, and returns what is to be released then. */
struct watched watched_end(struct watched *watched);

/* The timer that is due first; NULL without one until then. */
struct watched *watched_first_due(int64_t until);

/* The caller does not hold the lock. */
void watched_release(struct watched ended);

/* Calls a function once, on this thread. The caller does not hold the lock. */
void watched_call(uint64_t number, uint64_t value);

/* Waits until the thread has called the functions of all descriptors that are ready. The caller does not hold the
 * lock. */
void polls_await_idle(void);

/* What the host's services do. */
spin_status timers_start(const spin_host *host, spin_call *call, spin_duration first, spin_duration interval,
                         void (*function)(void *, uint64_t), void *context, void (*release_it)(void *),
                         spin_timer *timer);
int64_t timers_now(const spin_host *host);

#endif
