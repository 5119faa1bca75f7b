// One call of an effect, from its begin to its end. The engine holds it until the call is over.
#ifndef GPIO_JOB_H
#define GPIO_JOB_H

#include "../common/lasting.h"
#include "gpio.h"

enum job_kind { JOB_EDGES, JOB_SET, JOB_GET };

struct job {
    struct lasting lasting;
    struct job *next; /* in the list that has it */
    spin_self *self;
    spin_call *call;
    enum job_kind kind;
    bool level;                  /* JOB_SET */
    char key[SPIN_RUN_KEY_SIZE]; /* JOB_EDGES: of its run, or empty */
    size_t count;
    spin_string names[]; /* of its lines: copies, as a cancelled call takes its arguments along */
};

/* The job that has it. */
struct job *job_of(struct lasting *lasting);

/* Makes a job with these lines. NULL: the call has failed. Called by an effect. */
struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, spin_list_string names);

/* Gives a job to the engine. Called by an effect. */
void job_begin(struct job *job);

/* Ends the call, and drops the engine's hold. Called by the engine. */
void job_finish(struct job *job);
void job_fail(struct job *job, spin_status code, const char *reason);

/* Whether the job may emit more after an emission that had this status. If not, it waits for room, or is over. Called
 * by the engine. */
int job_continues(struct job *job, spin_status status);

/* Gives up one hold. On any thread. */
void job_drop(struct job *job);

#endif
