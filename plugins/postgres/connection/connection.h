// A connection to the server that never waits. Its owner is the pool or the listener.
//
// A call that is cancelled amid a statement closes its connection. So nothing of it can reach the next call, and a
// server that hangs holds nobody up. The server has been asked to look for clients that are gone.
#ifndef POSTGRES_CONNECTION_H
#define POSTGRES_CONNECTION_H

#include "../postgres.h"
#include "../statements/statement.h"
#include <libpq-fe.h>

enum { most_reason = 1536 };

enum connection_state {
    CONNECTION_IS_CLOSED,
    CONNECTION_IS_SOUGHT, /* its name is being looked up */
    CONNECTION_OPENS,
    CONNECTION_IS_SET_UP,
    CONNECTION_IS_IDLE,
    CONNECTION_IS_BUSY /* with a statement */
};

struct connection;

/* What the owner does. Each function may close the connection. */
struct connection_owner {
    /* It can take a statement: it has opened, or a statement is over with all of its results. */
    void (*is_ready)(struct connection *connection);
    /* A result of the statement, which belongs to the connection. */
    void (*has_result)(struct connection *connection, const PGresult *result);
    /* An idle connection has read something. NULL: nothing is done. */
    void (*has_read)(struct connection *connection);
    /* It is closed, and why. `was_open`: it was ready before. */
    void (*is_lost)(struct connection *connection, const char *reason, int was_open);
};

struct connection {
    const struct connection_owner *owner;
    spin_self *self;
    enum connection_state state;
    PGconn *link; /* NULL while it is closed or sought */
    struct lookup *lookup;
    char reason[most_reason]; /* why the last address of the name does not connect */
    int64_t due;              /* when it is given up, or looks again; INT64_MAX without a time */
    int64_t sought_until;     /* when the lookup is given up */
    int socket;               /* that the engine watches; -1 without one */
    uint32_t events;
    int is_plain;  /* whether the session is set up without what some servers lack */
    int is_paused; /* whether it reads nothing more, as a loop has no room */
    int is_asked; /* whether the server is to answer soon, as it was only asked for its presence or a channel */
};

void connection_init(struct connection *connection, spin_self *self, const struct connection_owner *owner);

/* Begins to connect, with a connection that is closed. */
void connection_open(struct connection *connection);

/* Closes it at once, in any state. The owner hears nothing. */
void connection_close(struct connection *connection);

/* Closes it, and tells the owner. */
void connection_lose(struct connection *connection, const char *reason);

/* Sends a statement over an idle connection. `has_rows`: each row is a result of its own. */
void connection_send(struct connection *connection, const struct statement *statement, int has_rows);
void connection_send_text(struct connection *connection, const char *sql);

/* Sends a statement that is no work for the server. */
void connection_ask(struct connection *connection, const char *sql);

/* Whether an idle connection is still there, as far as this side knows. */
int connection_is_alive(struct connection *connection);

/* Serves its socket, and its time. */
void connection_event(struct connection *connection);
void connection_check(struct connection *connection, int64_t now);

/* Reads nothing until it may again. No time counts meanwhile. */
void connection_pause(struct connection *connection, int is_paused);

/* For the files of the connection. */
void connection_watch(struct connection *connection, uint32_t events);
void connection_set_due(struct connection *connection, int64_t due);

#endif
