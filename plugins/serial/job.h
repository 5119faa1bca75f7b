// One call of an effect, from its begin to its end. The engine holds it until the call is over.
#ifndef SERIAL_JOB_H
#define SERIAL_JOB_H

#include "../common/lasting.h"
#include "../common/framing.h"
#include "serial.h"

enum job_kind { JOB_OPEN, JOB_SIGNALS, JOB_READ, JOB_WRITE, JOB_SET, JOB_BREAK };

struct job {
    struct lasting lasting;
    struct job *next; /* in the list that has it */
    spin_self *self;
    spin_call *call;
    enum job_kind kind;
    atomic_llong reserved; /* how many bytes of `most_unsent` it has */
    /* The rest is the engine's. */
    struct framing framing; /* JOB_READ */
    uint64_t emitted;       /* JOB_OPEN: the number of the change that it has emitted last */
    int lines;              /* JOB_SIGNALS: those that it has emitted last, or -1; JOB_SET: those to set */
    spin_duration time;     /* JOB_BREAK */
    size_t done, size;      /* JOB_WRITE: how many bytes the kernel has taken, and how many there are */
    char key[SPIN_RUN_KEY_SIZE]; /* JOB_WRITE: of its run, or empty */
    uint8_t data[];              /* JOB_WRITE: a copy, as a cancelled call takes its arguments along */
};

/* The job that has it. */
struct job *job_of(struct lasting *lasting);

/* Makes a job with so many bytes of data. NULL without memory: the call has failed. Called by an effect. */
struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, size_t size);

/* Gives a job to the engine. Called by an effect. */
void job_begin(struct job *job);

/* Ends the call, and drops the engine's hold. Called by the engine. */
void job_finish(struct job *job);
void job_fail(struct job *job, const char *reason);

/* Whether the job may emit more after an emission that had this status. If not, it waits for room, or is over. Called
 * by the engine. */
int job_continues(struct job *job, spin_status status);

/* Gives up one hold. On any thread. */
void job_drop(struct job *job);

#endif
