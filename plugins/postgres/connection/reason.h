// Why something has failed, as others wrote it.
#ifndef POSTGRES_REASON_H
#define POSTGRES_REASON_H

#include "connection.h"

/* Makes one line of UTF-8 of a text of libpq or the server, in which the password does not stand. */
void reason_copy(const spin_self *self, char reason[most_reason], const char *text);

/* Why a connection cannot be made, without the place, and without what libpq asks the user. NULL: no memory. */
void reason_of_link(char reason[most_reason], const PGconn *link);

/* Why the server refuses a statement, as `SQLSTATE text`. */
void reason_of_result(const spin_self *self, char reason[most_reason], const PGresult *result);

#endif
