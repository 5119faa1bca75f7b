// The rows of a statement, which are kept until all of them are there.
#ifndef SQLITE_ANSWER_H
#define SQLITE_ANSWER_H

#include "sqlite.h"
#include "../common/database/table.h"
#include <sqlite3.h>

struct answer {
    struct table_limits limits;
    struct table table;
    sqlite_value *values; /* those of all rows, one row after the other */
    sqlite_row *rows;
};

/* Makes an empty answer. */
void answer_init(struct answer *answer, const spin_config *config);

/* Takes the names of the columns of a statement, after its first step; 0 after a failure. */
int answer_begin(struct answer *answer, sqlite3_stmt *statement, struct problem *problem);

/* Takes the row that the statement has; 0 after a failure. */
int answer_add(struct answer *answer, sqlite3_stmt *statement, struct problem *problem);

/* Completes `rows`; 0 for want of memory. */
int answer_end(struct answer *answer, struct problem *problem);

/* Frees what it holds. */
void answer_free(struct answer *answer);

#endif
