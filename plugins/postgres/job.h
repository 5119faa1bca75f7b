// One call of an effect.
#ifndef POSTGRES_JOB_H
#define POSTGRES_JOB_H

#include "postgres.h"
#include "../common/engine_call.h"
#include "statements/statement.h"

enum job_kind { JOB_QUERY, JOB_EXECUTE, JOB_TRANSACTION, JOB_NOTIFY, JOB_LISTEN };

/* The most bytes of the name of a channel. */
enum { longest_channel = 63 };

struct job {
    struct engine_call base;
    struct job *next; /* in the list that has it */
    enum job_kind kind;
    const struct statement
        *statements; /* in the memory of the job: a cancelled call takes its arguments along */
    size_t count;
    /* JOB_LISTEN */
    char name[longest_channel + 1];
    struct channel *channel;
    int is_untold,
        is_lost;   /* whether the loop does not know yet that it listens, or that the connection is lost */
    uint64_t seen; /* the number of the notification that it has emitted last */
};

/* Makes a job with copies of the statements, and gives it to the engine. Called by an effect. */
void job_begin(spin_call *call, spin_self *self, enum job_kind kind, spin_list_postgres_statement statements,
               spin_string channel);

#endif
