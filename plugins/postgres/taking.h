// What a worker makes of the results of a statement.
#ifndef POSTGRES_TAKING_H
#define POSTGRES_TAKING_H

#include "run.h"

/* Takes a result, or refuses the call. */
void taking_result(struct worker *worker, const PGresult *result);

#endif
