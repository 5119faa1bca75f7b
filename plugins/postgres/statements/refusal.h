// Why the server refuses a statement, where its own words are about its protocol.
#ifndef POSTGRES_REFUSAL_H
#define POSTGRES_REFUSAL_H

#include "statement.h"

/* Writes the reason, as `SQLSTATE text`, if the plugin knows better words for this refusal; else returns 0. */
int refusal_explain(const struct statement *statement, const PGresult *result, char *reason, size_t size);

#endif
