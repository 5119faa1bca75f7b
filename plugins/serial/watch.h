// The calls that emit changes of the port: those of `open` and `signals`.
#ifndef SERIAL_WATCH_H
#define SERIAL_WATCH_H

#include "serial.h"

struct job;

struct watch {
    struct job *first; /* the calls */
    int64_t due;       /* when to look at the lines again */
    int lines;         /* what they were at the last look */
};

/* Adds a call. */
void watch_take(spin_self *self, struct job *job);

/* Lets go of calls that are over. */
void watch_sweep(spin_self *self);

/* Looks at the lines if that is due, and emits what has changed. */
void watch_step(spin_self *self);

/* When to look again; INT64_MAX without a call of `signals`. */
int64_t watch_due(const spin_self *self);

/* Lets go of all calls. */
void watch_end(spin_self *self);

#endif
