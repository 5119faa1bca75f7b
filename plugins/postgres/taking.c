#include "taking.h"
#include "instance.h"
#include <stdlib.h>
#include <string.h>

// The answer is refused while it comes. The rest of it is not read.
static void refuse(struct worker *worker) {
    connection_close(&worker->connection);
    worker_fail(worker);
}

// The rows that a statement has changed; not those that it has read.
static int64_t changes(const PGresult *result) {
    static const char *const changing[] = {"INSERT", "UPDATE", "DELETE", "MERGE"};
    const char *tag = PQcmdStatus((PGresult *)(uintptr_t)result);
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        if (strncmp(tag, changing[i], strlen(changing[i])) == 0)
            return strtoll(PQcmdTuples((PGresult *)(uintptr_t)result), NULL, 10);
    return 0;
}

void taking_result(struct worker *worker, const PGresult *result) {
    struct answer *answer = &worker->answer;
    int is_query = worker->job->kind == JOB_QUERY, is_taken = 1;
    switch (PQresultStatus(result)) {
    case PGRES_SINGLE_TUPLE:
        if (is_query)
            is_taken = answer_add(answer, worker->connection.self->config, result, &worker->problem);
        break;
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
        worker->changes += changes(result);
        if (is_query)
            is_taken = answer_begin(answer, result, &worker->problem);
        break;
    case PGRES_EMPTY_QUERY:
        worker_note(worker, SPIN_BAD_VALUE, "the statement is empty");
        break;
    default:
        worker_note(worker, POSTGRES_UNKNOWN, "the server has sent what is not an answer to a statement");
    }
    if (!is_taken)
        refuse(worker);
}
