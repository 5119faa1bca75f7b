// One call of an effect, from its begin to its end.
//
// Ownership. The thread holds a job until the job has run, and the function for the cancellation holds it until the
// host has called it or never will. The last of them frees it.
#ifndef SQLITE_JOB_H
#define SQLITE_JOB_H

#include "../common/database/problem.h"
#include "sqlite.h"
#include <stdatomic.h>

enum job_kind { JOB_QUERY, JOB_EXECUTE, JOB_TRANSACTION, JOB_CHANGES };

struct job {
    struct job *next; /* in the engine's list, under its `turn` */
    spin_self *self;
    spin_call *call;
    enum job_kind kind;
    atomic_int holders, is_cancelled;
    /* Copies of the arguments, in the memory of the job: a cancelled call takes its arguments along. */
    sqlite_statement *statements;
    size_t count;
    /* The version of the database that a call of `changes` has told of last, if it has. */
    int has_seen;
    uint32_t seen;
};

/* Makes a job of copies, and gives it to the thread. Called by an effect. */
void job_begin(spin_call *call, spin_self *self, enum job_kind kind, spin_list_sqlite_statement statements);

/* Runs it and ends its call. On the engine's thread. */
void job_run(struct job *job);

/* Ends the call, after an emission of `size` bytes that had this status. */
void job_finish(struct job *job, spin_status status, int64_t size);

/* Ends the call as failed. */
void job_fail(struct job *job, const struct problem *problem);

/* Gives up one hold. On any thread. */
void job_drop(struct job *job);

#endif
