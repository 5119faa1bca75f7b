#include "run.h"
#include "instance.h"
#include "connection/reason.h"
#include "taking.h"
#include "statements/refusal.h"
#include "statements/words.h"
#include <string.h>

static struct worker *worker_of(struct connection *connection) {
    return (struct worker *)((char *)connection - offsetof(struct worker, connection));
}

int worker_is_free(const struct worker *worker) {
    return !worker->job && worker->phase == PHASE_NONE && worker->connection.state == CONNECTION_IS_IDLE;
}

static void send(struct worker *worker, enum phase phase) {
    struct connection *connection = &worker->connection;
    worker->phase = phase;
    switch (phase) {
    case PHASE_BEGIN:
        connection_send_text(connection, "BEGIN");
        break;
    case PHASE_STATEMENT:
        worker->is_uncertain = !worker->is_whole;
        connection_send(connection, &worker->job->statements[worker->step], 1);
        break;
    case PHASE_COMMIT:
        worker->is_uncertain = 1;
        connection_send_text(connection, "COMMIT");
        break;
    default:
        connection_send_text(connection, "ROLLBACK");
    }
}

void worker_begin(struct worker *worker, struct job *job) {
    worker->job = job;
    worker->step = 0;
    worker->has_problem = worker->is_uncertain = 0;
    worker->changes = 0;
    // A query whose answer is too large must change nothing.
    worker->is_whole =
        job->kind == JOB_TRANSACTION || (job->kind == JOB_QUERY && !words_read(job->statements->sql));
    send(worker, worker->is_whole ? PHASE_BEGIN : PHASE_STATEMENT);
}

// Whether the server is where it must be after this phase.
static int check_transaction(struct worker *worker, PGTransactionStatusType status) {
    int is_amid = worker->is_whole && worker->phase != PHASE_COMMIT;
    if (status == (is_amid ? PQTRANS_INTRANS : PQTRANS_IDLE))
        return 1;
    if (!worker->has_problem && is_amid)
        worker_note(worker, POSTGRES_UNKNOWN, "the statement has ended the transaction");
    else
        worker_note(worker, POSTGRES_REFUSED, "the statement has begun a transaction, which is taken back");
    return 0;
}

static void advance(struct worker *worker) {
    size_t count = worker->job->count;
    if (worker->phase == PHASE_STATEMENT)
        worker->step++;
    if (worker->phase == PHASE_COMMIT || (worker->step == count && !worker->is_whole)) {
        worker->phase = PHASE_EMIT;
        worker_emit(worker);
    } else {
        send(worker, worker->step < count ? PHASE_STATEMENT : PHASE_COMMIT);
    }
}

static void is_ready(struct connection *connection) {
    struct worker *worker = worker_of(connection);
    PGTransactionStatusType status = PQtransactionStatus(connection->link);
    if (!worker->job) { // It has opened, or has rolled back.
        if (worker->phase == PHASE_NONE)
            instance_report(connection->self, NULL);
        worker->phase = PHASE_NONE;
        if (status != PQTRANS_IDLE)
            connection_close(connection);
        return;
    }
    if (check_transaction(worker, status) && worker->phase == PHASE_STATEMENT &&
        worker->job->kind == JOB_QUERY && !worker->has_problem &&
        !answer_end(&worker->answer, &worker->problem))
        worker->has_problem = 1;
    if (!worker->has_problem) {
        advance(worker);
        return;
    }
    worker_fail(worker);
    if (status != PQTRANS_IDLE)
        send(worker, PHASE_ROLLBACK);
}

static void has_result(struct connection *connection, const PGresult *result) {
    struct worker *worker = worker_of(connection);
    char reason[most_reason];
    ExecStatusType status = PQresultStatus(result);
    if (!worker->job)
        return;
    if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
        if (worker->phase != PHASE_STATEMENT ||
            !refusal_explain(&worker->job->statements[worker->step], result, reason, sizeof reason))
            reason_of_result(connection->self, reason, result);
        worker_note(worker, POSTGRES_REFUSED, reason);
    } else if (worker->phase == PHASE_STATEMENT) {
        taking_result(worker, result);
    } else if (worker->phase == PHASE_COMMIT &&
               strcmp(PQcmdStatus((PGresult *)(uintptr_t)result), "COMMIT") != 0) {
        worker_note(worker, POSTGRES_REFUSED, "the server has taken the transaction back");
    }
}

static void is_lost(struct connection *connection, const char *reason, int was_open) {
    struct worker *worker = worker_of(connection);
    struct problem shown;
    if (!was_open)
        pool_cannot_connect(connection->self, worker, reason);
    if (worker->phase == PHASE_EMIT)
        return;
    if (worker->job) {
        int is_uncertain = worker->is_uncertain;
        problem_set(&shown, is_uncertain ? POSTGRES_UNKNOWN : POSTGRES_NOT_CONNECTED,
                    "the connection is lost, and %s: %s",
                    is_uncertain ? "it is not known whether the change was made" : "nothing was changed",
                    worker->has_problem ? worker->problem.text : reason);
        engine_call_fail(&worker_let_go(worker)->base, shown.code, shown.text);
    }
    worker->phase = PHASE_NONE;
}

// A statement may have begun to listen in a way of its own.
static void has_read(struct connection *connection) {
    for (PGnotify *unwanted; (unwanted = PQnotifies(connection->link));)
        PQfreemem(unwanted);
}

void worker_init(struct worker *worker, spin_self *self) {
    static const struct connection_owner owner = {is_ready, has_result, has_read, is_lost};
    connection_init(&worker->connection, self, &owner);
}
