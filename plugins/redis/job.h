// One call of an effect. The engine holds a command also after its call is over, until its answer has come.
#ifndef REDIS_JOB_H
#define REDIS_JOB_H

#include "../common/engine_call.h"
#include "link/request.h"

enum job_kind { JOB_COMMAND, JOB_SUBSCRIBE, JOB_READ, JOB_ACKNOWLEDGE };

struct job {
    struct engine_call base;
    struct job *next; /* in the list that has it */
    enum job_kind kind;
    atomic_int is_waiting;  /* `most_waiting` counts it */
    int is_quiet;           /* whether a command emits nothing */
    int acknowledges;       /* JOB_READ: whether the plugin does, and not the app */
    struct request request; /* JOB_COMMAND, JOB_SUBSCRIBE; JOB_ACKNOWLEDGE: for an entry that nobody reads */
    size_t pattern_count;   /* JOB_SUBSCRIBE: how many of the texts are patterns, at the end */
    size_t text_count;
    const char **texts; /* copies, in the memory of the job: a cancelled call takes its arguments along */
    size_t *sizes;
};

/* Makes a job with copies of these texts. NULL: the call has failed. Called by an effect. */
struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, const struct words *texts);

/* Ends the call, and keeps the hold; 0 if it was over already. Called by the engine. */
int job_end(struct job *job, spin_status code, const char *reason);

#endif
