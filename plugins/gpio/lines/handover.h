// What an instance hands over to the next one in a swap: the lines that it holds. So no output changes, and no edge is
// lost.
#ifndef GPIO_HANDOVER_H
#define GPIO_HANDOVER_H

#include "../gpio.h"

/* A macro, as SPIN_SWAP needs its digits. */
#define HANDOVER_SCHEMA 1

/* Leaves the lines to the instance that starts next. Without the chip, what another one has left stays. In a worker,
 * whose process ends, it lets go of them. For `stop`. */
void handover_give(spin_self *self);

/* Takes the lines that another instance has left, when the chip is open. For `start`. */
void handover_take(spin_self *self);

/* The instance has taken a line or let go of one: a version that the host takes back gets what this one holds. It also
 * gets the levels of outputs that this one has lost. */
void handover_renew(spin_self *self);

spin_status handover_save(spin_self *self, spin_saving *saving);

/* NULL, or why this is not a state. */
const char *handover_restore(spin_self *self, const spin_saved *saved);

#endif
