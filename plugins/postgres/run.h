// How a connection of the pool runs one call: what it sends, and what it makes of the answers.
#ifndef POSTGRES_RUN_H
#define POSTGRES_RUN_H

#include "postgres.h"
#include "statements/answer.h"
#include "connection/connection.h"
#include "job.h"

enum phase {
    PHASE_NONE,
    PHASE_BEGIN,
    PHASE_STATEMENT,
    PHASE_COMMIT,
    PHASE_ROLLBACK, /* of a call that has ended */
    PHASE_EMIT      /* the answer waits for room */
};

struct worker {
    struct connection connection;
    struct job *job;
    enum phase phase;
    size_t step;      /* the statement of the call */
    int is_whole;     /* whether the statements are in a transaction of the plugin */
    int is_uncertain; /* whether the server may have made the change, if the connection is lost now */
    int has_problem;
    struct problem problem; /* why the call fails, when the server is ready */
    struct answer answer;
    int64_t changes;
    int64_t rest_until; /* while it is closed: when it may try again */
};

void worker_init(struct worker *worker, spin_self *self);

/* Whether it can take a call. */
int worker_is_free(const struct worker *worker);

/* Begins a call. */
void worker_begin(struct worker *worker, struct job *job);

/* Emits what has waited for room, if there is some. */
void worker_resume(struct worker *worker);

/* Lets go of its call, if it has one, and of a connection that is not idle. */
void worker_cancel(struct worker *worker);

/* For the files of the worker. The first reason counts; it names the statement of a transaction. */
void worker_note(struct worker *worker, int code, const char *reason);

/* Fails the call with the reason. */
void worker_fail(struct worker *worker);

/* Emits what the call has, and ends it, unless it waits for room. */
void worker_emit(struct worker *worker);

/* Takes the call away, which is over or about to be. */
struct job *worker_let_go(struct worker *worker);

#endif
