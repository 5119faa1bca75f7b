// How a call of the pool ends.
#include "run.h"

SPIN_EMITTER(rows, (spin_list_string, columns), (spin_list_postgres_row, rows));
SPIN_EMITTER(executed, (int64_t, changes));
SPIN_EMITTER(committed, (int64_t, changes));

struct job *worker_let_go(struct worker *worker) {
    struct job *job = worker->job;
    worker->job = NULL;
    worker->phase = PHASE_NONE;
    answer_free(&worker->answer);
    return job;
}

void worker_note(struct worker *worker, int code, const char *reason) {
    if (worker->has_problem)
        return;
    worker->has_problem = 1;
    if (worker->phase == PHASE_STATEMENT && worker->job->kind == JOB_TRANSACTION)
        problem_set(&worker->problem, code, "statement %zu: %s", worker->step + 1, reason);
    else
        problem_set(&worker->problem, code, "%s", reason);
}

void worker_fail(struct worker *worker) {
    engine_call_fail(&worker_let_go(worker)->base, worker->problem.code, worker->problem.text);
}

/* What the host takes from a worker at a time, less what a message has besides. */
enum { largest_emission = (32 << 20) - 65536 };

void worker_emit(struct worker *worker) {
    struct job *job = worker->job;
    const struct answer *answer = &worker->answer;
    spin_status status = SPIN_OK;
    if (job->kind == JOB_QUERY)
        status = spin_wait_rows(job->base.call,
                                (spin_list_string){answer->table.columns, answer->table.column_count},
                                (spin_list_postgres_row){answer->rows, answer->table.row_count}, 0);
    else if (job->kind == JOB_EXECUTE)
        status = spin_wait_executed(job->base.call, worker->changes, 0);
    else if (job->kind == JOB_TRANSACTION)
        status = spin_wait_committed(job->base.call, worker->changes, 0);
    if (status == SPIN_BAD_VALUE && answer->table.size >= largest_emission)
        engine_call_fail(&worker_let_go(worker)->base, POSTGRES_TOO_LARGE,
                         "the host refuses an answer of this size; from a worker it takes 32 MiB");
    else if (engine_call_continues(&job->base, status))
        engine_call_finish(&worker_let_go(worker)->base);
}

void worker_resume(struct worker *worker) {
    if (worker->phase == PHASE_EMIT && lasting_can_emit(&worker->job->base.lasting))
        worker_emit(worker);
}

void worker_cancel(struct worker *worker) {
    // What the server still does for the call must not reach the next one.
    if (worker->phase != PHASE_EMIT && worker->connection.state != CONNECTION_IS_IDLE)
        connection_close(&worker->connection);
    struct job *job = worker_let_go(worker);
    if (job)
        engine_call_drop(&job->base);
}
