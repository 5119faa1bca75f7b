// All inputs that an instance holds.
#ifndef GPIO_WATCHES_H
#define GPIO_WATCHES_H

#include "watch.h"

/* The most watches of an instance. */
enum { most_watches = 64 };

/* Begins a call of `edges`, or fails it. */
void watches_begin(spin_self *self, struct job *job);

/* Opens the watches that are not open. What is missing is due later. */
void watches_take(spin_self *self);

/* Lets go of calls that are over. Their lines stay for a while: the host may make the call of the same run again. */
void watches_sweep(spin_self *self);

/* Reads and emits, and lets go of lines that nobody has used for a while. Returns when to come again; INT64_MAX: not by
 * itself. */
int64_t watches_step(spin_self *self);

/* Lets go of the watch that has this line. 0, and why in `reason`, if a call of `edges` has it. */
bool watches_yield(spin_self *self, uint32_t offset, char reason[most_reason]);

/* The watch that has a line; NULL without one. */
struct watch *watches_find(spin_self *self, uint32_t offset, uint32_t *index);

/* A watch to be added, which may take the place of one whose call has ended. NULL: there are too many, or there is no
 * memory. */
struct watch *watches_make(spin_self *self);

/* Adds a watch, and takes one out and frees it. */
void watches_add(spin_self *self, struct watch *watch);
void watches_remove(spin_self *self, struct watch *watch);

/* The chip has gone. */
void watches_lose(spin_self *self);

/* All calls are over. Their lines stay for the next instance, or are freed. */
void watches_end(spin_self *self);
void watches_free(spin_self *self);

#endif
