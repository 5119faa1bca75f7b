// What the function of the engine does for an instance.
#ifndef POSTGRES_WORK_H
#define POSTGRES_WORK_H

#include "postgres.h"
#include "../common/engine.h"

extern const struct engine_kind work_kind;

/* Lets go of all calls and connections, after the function has run for the last time. */
void work_end(spin_self *self);

#endif
