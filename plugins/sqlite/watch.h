// The calls of `changes`, which last until they are cancelled. For the engine's thread alone.
#ifndef SQLITE_WATCH_H
#define SQLITE_WATCH_H

#include "sqlite.h"

struct job;

struct watch {
    struct job *first; /* the calls that last */
    int64_t due;       /* when to look again, as monotonic_now counts */
};

/* Adds a call, and holds it. */
void watch_add(spin_self *self, struct job *job);

/* When to look again; INT64_MAX without a call. */
int64_t watch_due(spin_self *self);

/* Looks for changes, tells the calls of them, and lets go of those that are over. */
void watch_look(spin_self *self);

/* Lets go of all calls. */
void watch_end(spin_self *self);

#endif
