// What the thread does with a job.
#include "instance.h"
#include "job.h"
#include "statement.h"
#include <string.h>

SPIN_EMITTER(rows, (spin_list_string, columns), (spin_list_sqlite_row, rows));
SPIN_EMITTER(executed, (int64_t, changes), (int64_t, last_id));
SPIN_EMITTER(committed, (int64_t, changes));

// A query that changes something must change nothing when its answer is too large.
static int query(spin_self *self, const sqlite_statement *wanted, struct answer *answer,
                 struct problem *problem) {
    sqlite3_stmt *statement = statement_make(self, wanted, problem);
    if (!statement)
        return 0;
    int changes = !sqlite3_stmt_readonly(statement);
    int is_done = (!changes || connection_begin(self, problem)) &&
                  statement_run(self, statement, answer, problem) && answer_end(answer, problem);
    sqlite3_finalize(statement);
    if (is_done && (!changes || connection_commit(self, problem)))
        return 1;
    connection_roll_back(self);
    return 0;
}

static void run_query(struct job *job) {
    struct answer answer;
    answer_init(&answer, job->self->config);
    struct problem problem;
    if (query(job->self, job->statements, &answer, &problem))
        job_finish(job,
                   spin_wait_rows(job->call,
                                  (spin_list_string){answer.table.columns, answer.table.column_count},
                                  (spin_list_sqlite_row){answer.rows, answer.table.row_count}, SPIN_FOREVER),
                   answer.table.size);
    else
        job_fail(job, &problem);
    answer_free(&answer);
}

static int execute(spin_self *self, const sqlite_statement *wanted, struct problem *problem) {
    sqlite3_stmt *statement = statement_make(self, wanted, problem);
    int is_done = statement && statement_run(self, statement, NULL, problem);
    sqlite3_finalize(statement);
    return is_done;
}

static void run_execute(struct job *job) {
    sqlite3 *database = job->self->connection.database;
    struct problem problem;
    sqlite3_int64 before = sqlite3_total_changes64(database);
    sqlite3_set_last_insert_rowid(database, 0);
    if (execute(job->self, job->statements, &problem))
        job_finish(job,
                   spin_wait_executed(job->call, sqlite3_total_changes64(database) - before,
                                      sqlite3_last_insert_rowid(database), SPIN_FOREVER),
                   0);
    else
        job_fail(job, &problem);
}

static int execute_all(struct job *job, struct problem *problem) {
    spin_self *self = job->self;
    if (!connection_begin(self, problem))
        return 0;
    size_t done = 0;
    while (done < job->count && execute(self, &job->statements[done], problem))
        done++;
    if (done == job->count && connection_commit(self, problem))
        return 1;
    if (done < job->count) {
        struct problem inner = *problem;
        problem_set(problem, inner.code, "statement %zu: %s", done + 1, inner.text);
    }
    connection_roll_back(self);
    return 0;
}

static void run_transaction(struct job *job) {
    sqlite3 *database = job->self->connection.database;
    struct problem problem;
    sqlite3_int64 before = sqlite3_total_changes64(database);
    if (execute_all(job, &problem))
        job_finish(
            job, spin_wait_committed(job->call, sqlite3_total_changes64(database) - before, SPIN_FOREVER), 0);
    else
        job_fail(job, &problem);
}

// The call lasts; the look that follows each job tells it of the database.
static void run_changes(struct job *job) { watch_add(job->self, job); }

void job_run(struct job *job) {
    static void (*const kinds[])(struct job *) = {[JOB_QUERY] = run_query,
                                                  [JOB_EXECUTE] = run_execute,
                                                  [JOB_TRANSACTION] = run_transaction,
                                                  [JOB_CHANGES] = run_changes};
    struct problem problem;
    if (connection_is_whole(&job->self->connection, &problem))
        kinds[job->kind](job);
    else
        job_fail(job, &problem);
}
