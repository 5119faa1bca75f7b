// One call of an effect, from its begin to its end. The engine holds it until the call is over.
#ifndef POSTGRES_JOB_H
#define POSTGRES_JOB_H

#include "postgres.h"
#include "../common/lasting.h"
#include "statements/statement.h"

enum job_kind { JOB_QUERY, JOB_EXECUTE, JOB_TRANSACTION, JOB_NOTIFY, JOB_LISTEN };

/* The most bytes of the name of a channel. */
enum { longest_channel = 63 };

struct job {
    struct lasting lasting;
    struct job *next; /* in the list that has it */
    spin_self *self;
    spin_call *call;
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

/* The job that has it. */
struct job *job_of(struct lasting *lasting);

/* Makes a job with copies of the statements, and gives it to the engine. Called by an effect. */
void job_begin(spin_call *call, spin_self *self, enum job_kind kind, spin_list_postgres_statement statements,
               spin_string channel);

/* Ends the call, and drops the engine's hold. Called by the engine. */
void job_finish(struct job *job);
void job_fail(struct job *job, spin_status code, const char *reason);

/* Whether the job may emit more after an emission that had this status. If not, it waits for room, or is over. Called
 * by the engine. */
int job_continues(struct job *job, spin_status status);

int job_is_over(const struct job *job);

/* Gives up one hold. On any thread. */
void job_drop(struct job *job);

#endif
