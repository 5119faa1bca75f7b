// The calls of `set` and `get`, which end at once.
#ifndef GPIO_CALLS_H
#define GPIO_CALLS_H

#include "gpio.h"

struct job;

/* Sets an output, and ends the call. */
void call_set(spin_self *self, struct job *job);

/* Emits the level of a line, and ends the call; waits for room if it must. */
void call_get(spin_self *self, struct job *job);

/* Emits for calls of `get` that have waited. */
void calls_step(spin_self *self);

/* Lets go of the calls that are over, or of all. */
void calls_sweep(spin_self *self);
void calls_end(spin_self *self);

#endif
