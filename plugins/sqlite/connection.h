// A connection to the database, for one thread at a time.
#ifndef SQLITE_CONNECTION_H
#define SQLITE_CONNECTION_H

#include "../common/database/problem.h"
#include "sqlite.h"
#include <sqlite3.h>

struct connection {
    sqlite3 *database; /* NULL while it is closed */
    /* Whether a statement of the plugin itself is prepared, which may do what others may not. */
    int is_own;
    /* Whether a statement runs, which was allowed. SQLite itself may then prepare others for it. */
    int is_running;
    /* Why the plugin has refused a statement, after SQLITE_AUTH; NULL if SQLite has refused it. */
    const char *refusal;
    /* Whether a lock that another connection holds is a failure at once. */
    int is_hasty;
    int64_t busy_timeout; /* how long a statement waits for a lock */
    int64_t busy_until;   /* of the statement that waits for a lock */
    int has_schema;       /* whether `schema` has run, for this instance */
};

/* Opens the file and runs `schema`, as the settings say; 0 after a failure. */
int connection_open(spin_self *self, struct problem *problem);

void connection_close(struct connection *connection);

/* Whether the name still leads to the file that is open, and no transaction is left over; 0 if not. */
int connection_is_whole(struct connection *connection, struct problem *problem);

/* A number that changes when any connection changes the database; 0 after a failure. It does not wait for a lock. */
int connection_version(spin_self *self, uint32_t *version, struct problem *problem);

/* Notes why SQLite has failed with this code; its value is 0. */
int connection_problem(spin_self *self, int code, struct problem *problem);

/* Begins, ends or takes back a transaction. The first two end at once with a cancellation, the last one does not. */
int connection_begin(spin_self *self, struct problem *problem);
int connection_commit(spin_self *self, struct problem *problem);
void connection_roll_back(spin_self *self);

/* Has statements ask for cancellations and wait for locks, and refuses what leads out of the file. */
int connection_guard(spin_self *self);

/* Has running statements ask for cancellations. */
void connection_watch(spin_self *self);

#endif
