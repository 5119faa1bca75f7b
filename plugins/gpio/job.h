// One call of an effect.
#ifndef GPIO_JOB_H
#define GPIO_JOB_H

#include "../common/engine_call.h"
#include "gpio.h"

enum job_kind { JOB_EDGES, JOB_SET, JOB_GET };

struct job {
    struct engine_call base;
    struct job *next; /* in the list that has it */
    enum job_kind kind;
    bool level; /* JOB_SET */
    size_t count;
    spin_string names[]; /* of its lines: copies, as a cancelled call takes its arguments along */
};

/* Makes a job with these lines. NULL: the call has failed. Called by an effect. */
struct job *job_make(spin_call *call, spin_self *self, enum job_kind kind, spin_list_string names);

#endif
