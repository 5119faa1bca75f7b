// One call of an effect, from its begin to its end. The engine holds it until the call is over, and a command until its
// answer has come.
#ifndef REDIS_JOB_H
#define REDIS_JOB_H

#include "../common/lasting.h"
#include "link/request.h"

enum job_kind { JOB_COMMAND, JOB_SUBSCRIBE, JOB_READ, JOB_ACKNOWLEDGE };

struct job {
    struct lasting lasting;
    struct job *next; /* in the list that has it */
    spin_self *self;
    spin_call *call;
    enum job_kind kind;
    atomic_int is_waiting;  /* `most_waiting` counts it */
    int is_quiet;           /* whether a command emits nothing */
    int acknowledges;       /* JOB_READ: whether the plugin does, and not the app */
    struct request request; /* JOB_COMMAND, JOB_SUBSCRIBE; JOB_ACKNOWLEDGE: for an entry that nobody reads */
    char key[SPIN_RUN_KEY_SIZE]; /* of its run, or empty */
    size_t pattern_count;        /* JOB_SUBSCRIBE: how many of the texts are patterns, at the end */
    size_t text_count;
    const char **texts; /* copies, in the memory of the job: a cancelled call takes its arguments along */
    size_t *sizes;
};

/* The job that has it. */
struct job *job_of(struct lasting *lasting);

/* Makes a job with copies of these texts. NULL without memory: the call has failed. Called by an effect. */
struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, const struct words *texts);

/* Gives a job to the engine. Called by an effect. */
void job_begin(struct job *job);

/* Ends the call, and drops the engine's hold. Called by the engine. */
void job_finish(struct job *job);
void job_fail(struct job *job, spin_status code, const char *reason);

/* Ends the call, and keeps the hold; 0 if it was over already. Called by the engine. */
int job_end(struct job *job, spin_status code, const char *reason);

/* Whether the call is over. */
int job_is_over(const struct job *job);

/* Whether the job may emit more after an emission that had this status. If not, it waits for room, or is over. Called
 * by the engine. */
int job_continues(struct job *job, spin_status status);

/* Gives up one hold. On any thread. */
void job_drop(struct job *job);

#endif
