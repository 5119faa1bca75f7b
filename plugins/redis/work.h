// What the function of the engine does for an instance.
#ifndef REDIS_WORK_H
#define REDIS_WORK_H

#include "../common/engine.h"

extern const struct engine_kind work_kind;

/* Has the function look at what another instance has left. */
void work_begin(spin_self *self);

/* Closes all connections and lets go of all calls, after the function has run for the last time. */
void work_end(spin_self *self);

#endif
