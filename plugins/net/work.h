// What the function of the engine does for an instance.
#ifndef NET_WORK_H
#define NET_WORK_H

#include "../common/engine.h"

extern const struct engine_kind work_kind;

/* Has the function look at what a call, or another instance, has left. */
void work_begin(spin_self *self);

/* Lets go of all calls, after the function has run for the last time. What is open stays. */
void work_end(spin_self *self);

/* Frees what has ended. */
void work_bury(spin_self *self);

#endif
