// One statement, from its text to its last row.
#ifndef SQLITE_STATEMENT_H
#define SQLITE_STATEMENT_H

#include "answer.h"
#include "connection.h"

/* Makes a statement of a text with one statement, and gives it its values; NULL after a failure. The values must
 * live as long as the statement. */
sqlite3_stmt *statement_make(spin_self *self, const sqlite_statement *wanted, struct problem *problem);

/* Runs a statement to its end. `answer` takes its rows, unless it is NULL. 0 after a failure. */
int statement_run(spin_self *self, sqlite3_stmt *statement, struct answer *answer, struct problem *problem);

#endif
