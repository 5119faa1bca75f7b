// What one call of `subscribe` has: a connection of its own. A loop without room so holds up no other one.
#ifndef REDIS_SUBSCRIPTION_H
#define REDIS_SUBSCRIPTION_H

#include "job.h"
#include "link/link.h"

struct subscription {
    struct subscription *next;
    struct link link;
    struct job *job;
    size_t waits;   /* how many channels and patterns the server has not confirmed */
    int has_begun;  /* whether the server has confirmed all of them, and the loop does not know it */
    int has_failed; /* whether the loop does not know that there is no connection */
    int is_blocked; /* whether the call waits for room */
    char reason[most_reason]; /* of the last failure */
};

/* Begins a call, or fails it. */
void subscription_begin(spin_self *self, struct job *job);

/* Emits what has waited for room. */
void subscription_resume(struct subscription *subscription);

/* Frees those whose calls are over. */
void subscriptions_sweep(spin_self *self);

/* Frees all. The host has ended their calls. */
void subscriptions_free(spin_self *self);

#endif
