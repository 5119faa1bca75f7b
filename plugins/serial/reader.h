// The call of `lines` or `frames`, and the bytes that it has yet to emit.
#ifndef SERIAL_READER_H
#define SERIAL_READER_H

#include "../common/framing.h"
#include "serial.h"

struct job;

/* All but the job survives its call, and a swap. */
struct reader {
    struct job *job;        /* NULL without a call */
    struct pieces received; /* what is no whole frame yet, or found no room */
    uint8_t *decoded;       /* memory for the content of a frame */
    size_t capacity;        /* how much */
    int64_t dropped;        /* bytes of a frame that is too long, and has not ended */
    int has_begun;          /* whether a call has ever read: until then, bytes mean nothing */
    int is_cut;             /* whether the device has gone behind these bytes */
    int64_t cut_time;       /* when it has gone */
    int64_t pause_due;      /* when a pause ends the frame, for FRAMING_IDLE */
};

/* Begins a call, or fails it. */
void reader_take(spin_self *self, struct job *job);

/* Lets go of a call that is over. */
void reader_sweep(spin_self *self);

/* Reads once if there were such events of the device (of epoll), and emits. */
void reader_step(spin_self *self, uint32_t events);

/* Whether it would read what comes, and when a pause ends a frame. */
int reader_wants(const spin_self *self);
int64_t reader_due(const spin_self *self);

/* The device has gone. */
void reader_cut(spin_self *self);

/* Lets go of the call; the bytes stay. */
void reader_end(spin_self *self);

/* Frees the bytes. */
void reader_free(struct reader *reader);

#endif
