// What the function of the engine does for the lines.
#ifndef GPIO_WORK_H
#define GPIO_WORK_H

#include "../common/engine.h"

extern const struct engine_kind work_kind;

/* Lets go of all calls, after the function has run for the last time. */
void work_end(spin_self *self);

#endif
