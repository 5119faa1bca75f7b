#include "statement.h"
#include "instance.h"
#include <string.h>

// Whether nothing but spaces, comments and semicolons stands there.
static int is_nothing(sqlite3 *database, const char *text) {
    while (*text) {
        sqlite3_stmt *statement = NULL;
        int code = sqlite3_prepare_v2(database, text, -1, &statement, &text);
        sqlite3_finalize(statement);
        if (code != SQLITE_OK || statement)
            return 0;
    }
    return 1;
}

static int prepare(spin_self *self, spin_string sql, sqlite3_stmt **statement, struct problem *problem) {
    sqlite3 *database = self->connection.database;
    const char *rest;
    if (memchr(sql.data, 0, sql.size))
        return problem_set(problem, SQLITE_MISUSE, "the statement has a NUL character");
    self->connection.refusal = NULL;
    int code = sqlite3_prepare_v2(database, sql.data, -1, statement, &rest);
    if (code != SQLITE_OK)
        return connection_problem(self, code, problem);
    if (!*statement)
        return problem_set(problem, SQLITE_MISUSE, "the statement is empty");
    return is_nothing(database, rest) ||
           problem_set(problem, SQLITE_MISUSE,
                       "there are several statements; `transaction` takes a list of them");
}

static int bind(sqlite3_stmt *statement, int index, const sqlite_parameter *value) {
    if (value->text.has)
        return sqlite3_bind_text64(statement, index, value->text.value.data, value->text.value.size,
                                   SQLITE_STATIC, SQLITE_UTF8);
    if (value->integer.has)
        return sqlite3_bind_int64(statement, index, value->integer.value);
    if (value->real.has)
        return sqlite3_bind_double(statement, index, value->real.value);
    if (value->blob.has)
        // NULL would be no blob of zero bytes, but NULL.
        return sqlite3_bind_blob64(statement, index,
                                   value->blob.value.size ? value->blob.value.data : (const void *)"",
                                   value->blob.value.size, SQLITE_STATIC);
    return SQLITE_OK; // NULL is what a parameter has at first.
}

static int bind_all(spin_self *self, sqlite3_stmt *statement, spin_list_sqlite_parameter values,
                    struct problem *problem) {
    int wanted = sqlite3_bind_parameter_count(statement);
    if ((size_t)wanted != values.count)
        return problem_set(problem, SQLITE_RANGE, "the statement has %d parameter%s, and %zu value%s given",
                           wanted, wanted == 1 ? "" : "s", values.count, values.count == 1 ? " is" : "s are");
    for (int i = 0; i < wanted; i++) {
        const sqlite_parameter *value = &values.items[i];
        if (value->text.has + value->integer.has + value->real.has + value->blob.has > 1)
            return problem_set(problem, SQLITE_MISUSE,
                               "value %d has more than one of `text`, `integer`, `real` and `blob`", i + 1);
        int code = bind(statement, i + 1, value);
        if (code != SQLITE_OK)
            return connection_problem(self, code, problem);
    }
    return 1;
}

sqlite3_stmt *statement_make(spin_self *self, const sqlite_statement *wanted, struct problem *problem) {
    sqlite3_stmt *statement = NULL;
    if (prepare(self, wanted->sql, &statement, problem) &&
        bind_all(self, statement, wanted->parameters, problem))
        return statement;
    sqlite3_finalize(statement);
    return NULL;
}

static int step_to_end(spin_self *self, sqlite3_stmt *statement, struct answer *answer,
                       struct problem *problem) {
    for (int is_first = 1;; is_first = 0) {
        int code = sqlite3_step(statement);
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return connection_problem(self, code, problem);
        // Only the first step sees that another connection has changed the columns of a table.
        if (answer && is_first && !answer_begin(answer, statement, problem))
            return 0;
        if (code == SQLITE_DONE)
            return 1;
        if (answer && !answer_add(answer, statement, problem))
            return 0;
    }
}

int statement_run(spin_self *self, sqlite3_stmt *statement, struct answer *answer, struct problem *problem) {
    self->connection.is_running = 1;
    int is_done = step_to_end(self, statement, answer, problem);
    self->connection.is_running = 0;
    return is_done;
}
