// Statements with their values, as libpq takes them.
#ifndef POSTGRES_STATEMENT_H
#define POSTGRES_STATEMENT_H

#include "../postgres.h"
#include "../../common/database/problem.h"
#include <libpq-fe.h>

struct statement {
    const char *sql;
    int count; /* of the values */
    const Oid *types;
    const char *const *values;
    const int *lengths, *formats;
};

/* Whether the plugin runs these statements. `is_amid` says that they are those of a transaction. */
int statements_are_valid(spin_list_postgres_statement statements, bool is_amid, struct problem *problem);

/* How much memory copies of them take, and the copies, in aligned memory of this size. */
size_t statements_size(spin_list_postgres_statement statements);
struct statement *statements_copy(spin_list_postgres_statement statements, void *memory);

#endif
