// The first words of a statement.
#ifndef POSTGRES_WORDS_H
#define POSTGRES_WORDS_H

#include <stdbool.h>

/* NULL, or why a call cannot run this statement: it would end the transaction of the call, or change the connection for
 * others. `is_amid` says that it is one of `transaction`. */
const char *words_refusal(const char *sql, bool is_amid);

/* Whether the statement only reads, as far as its first word says. */
bool words_read(const char *sql);

#endif
