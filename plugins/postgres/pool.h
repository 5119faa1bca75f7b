// The connections for statements, and the calls that wait for one.
#ifndef POSTGRES_POOL_H
#define POSTGRES_POOL_H

#include "run.h"

struct pool {
    struct worker *workers; /* as many as the setting allows */
    size_t count;
    struct job *first, **last; /* the calls that wait, in order */
    size_t waiting;
};

/* Makes its connections, which are closed; 0 without memory. */
int pool_init(struct pool *pool, spin_self *self);
void pool_free(struct pool *pool);

/* Has a call wait, or fails it. */
void pool_take(spin_self *self, struct job *job);

/* Lets go of calls that are over. */
void pool_sweep(spin_self *self);

/* Looks at the times of its connections, and emits what has waited for room. */
void pool_check(spin_self *self, int64_t now);

/* Gives connections to the calls that wait. */
void pool_serve(spin_self *self);

/* Lets go of all calls and connections. */
void pool_end(spin_self *self);

/* A connection could not be opened. Called by `run`. */
void pool_cannot_connect(spin_self *self, struct worker *worker, const char *reason);

#endif
