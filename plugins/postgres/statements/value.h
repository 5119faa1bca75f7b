// What a value of the server is, by the number of its type.
#ifndef POSTGRES_VALUE_H
#define POSTGRES_VALUE_H

#include "../postgres.h"
#include "../../common/database/texts.h"
#include <libpq-fe.h>

/* Reads a value that is not NULL from its text, as the server writes it; 0 without memory. */
int value_read(struct texts *texts, Oid type, const char *text, size_t size, postgres_value *value);

/* NULL. */
postgres_value value_null(void);

#endif
