// One call of an effect.
#ifndef SERIAL_JOB_H
#define SERIAL_JOB_H

#include "../common/engine_call.h"
#include "../common/framing.h"
#include "serial.h"

enum job_kind { JOB_OPEN, JOB_SIGNALS, JOB_READ, JOB_WRITE, JOB_SET, JOB_BREAK };

struct job {
    struct engine_call base;
    struct job *next; /* in the list that has it */
    enum job_kind kind;
    atomic_llong reserved; /* how many bytes of `most_unsent` it has */
    /* The rest is the engine's. */
    struct framing framing; /* JOB_READ */
    uint64_t emitted;       /* JOB_OPEN: the number of the change that it has emitted last */
    int lines;              /* JOB_SIGNALS: those that it has emitted last, or -1; JOB_SET: those to set */
    spin_duration time;     /* JOB_BREAK */
    size_t done, size;      /* JOB_WRITE: how many bytes the kernel has taken, and how many there are */
    uint8_t data[];         /* JOB_WRITE: a copy, as a cancelled call takes its arguments along */
};

/* Makes a job with so many bytes of data. NULL without memory: the call has failed. Called by an effect. */
struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, size_t size);

#endif
