// What goes to the device: the bytes of `write`, and changes of its lines, in the order of the calls.
#ifndef SERIAL_WRITER_H
#define SERIAL_WRITER_H

#include "serial.h"
#include <stdatomic.h>

struct job;

struct writer {
    struct job *first, *last; /* the calls that are not over, the oldest first */
    int64_t due;              /* when the first one continues; INT64_MAX if the device says so */
    int is_breaking;          /* whether the first one has begun a break */
    int64_t sent_due;         /* when hardware that cannot say so has sent all; 0: not known */
    atomic_llong unsent;      /* how many bytes wait, as effects count */
    /* The key of the run that has written last, and how many of its bytes: the host may make its call again, also one
     * that has written all, if the call was cancelled before the host knew. */
    char key[SPIN_RUN_KEY_SIZE];
    uint64_t sent;
};

/* Whether so many more bytes may wait, which a job then has. Called by an effect. */
int writer_reserve(struct job *job);

/* Adds a call, or fails it. */
void writer_take(spin_self *self, struct job *job);

/* Lets go of calls that are over. */
void writer_sweep(spin_self *self);

/* Writes what the device takes. */
void writer_step(spin_self *self);

/* Whether it waits until the device takes more, and for which time. */
int writer_wants(const spin_self *self);
int64_t writer_due(const spin_self *self);

/* The device has gone. */
void writer_lose(spin_self *self);

/* Lets go of all calls. */
void writer_end(spin_self *self);

#endif
