// The rows of a statement, which are kept until all of them are there.
#ifndef POSTGRES_ANSWER_H
#define POSTGRES_ANSWER_H

#include "../postgres.h"
#include "../../common/database/table.h"
#include <libpq-fe.h>

struct answer {
    struct table table;
    postgres_value *values; /* those of all rows, one row after the other */
    postgres_row *rows;
};

/* Takes the names of the columns, unless it has them; 0 after a failure. */
int answer_begin(struct answer *answer, const PGresult *result, struct problem *problem);

/* Takes a row; 0 after a failure. */
int answer_add(struct answer *answer, const spin_config *config, const PGresult *result,
               struct problem *problem);

/* Completes `rows`; 0 for want of memory. */
int answer_end(struct answer *answer, struct problem *problem);

/* Frees what it holds, so that it is empty. */
void answer_free(struct answer *answer);

#endif
