// The rows of a statement, which are kept until all of them are there.
#ifndef SQLITE_ANSWER_H
#define SQLITE_ANSWER_H

#include "../common/problem.h"
#include "sqlite.h"
#include "../common/texts.h"
#include <sqlite3.h>

struct answer {
    const spin_config *config;
    struct texts texts;
    spin_string *columns;
    sqlite_value *values; /* those of all rows, one row after the other */
    sqlite_row *rows;
    size_t column_count, row_count, capacity;
    int64_t size; /* as `largest_answer` counts */
};

/* Takes the names of the columns of a statement, after its first step; 0 after a failure. */
int answer_begin(struct answer *answer, sqlite3_stmt *statement, struct problem *problem);

/* Takes the row that the statement has; 0 after a failure. */
int answer_add(struct answer *answer, sqlite3_stmt *statement, struct problem *problem);

/* Completes `rows`; 0 for want of memory. */
int answer_end(struct answer *answer, struct problem *problem);

/* Frees what it holds. */
void answer_free(struct answer *answer);

#endif
