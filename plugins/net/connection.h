// A connection that is open, or whose end the loop does not know yet.
#ifndef NET_CONNECTION_H
#define NET_CONNECTION_H

#include "address.h"
#include "source.h"
#include "../std/pieces.h"

struct job;

struct connection {
    struct source source;
    struct connection *next, *next_dead;
    uint64_t number; /* of one that the peer has opened; 0 of another one */
    char peer[address_size];
    int is_told;              /* whether the loop knows it */
    int is_over;              /* whether it has no socket any more, for this reason */
    char reason[most_reason]; /* also that of a failure to send, before it is over */
    int has_ended;            /* whether the peer sends no more */
    int is_closing, has_shut; /* whether the app closes it, and whether nothing more can be sent */
    int64_t due;            /* when a peer has waited long enough, or the end has; INT64_MAX without a time */
    int64_t opened, active; /* when it was opened, and when bytes came or went last */
    /* What has come and is no whole frame yet, or found no room. */
    struct pieces received;
    int64_t dropped; /* bytes of a frame that is too long, and has not ended */
    int is_reframed; /* whether such a frame never ends, as the call has another framing now */
    uint64_t skip;   /* how many bytes of such a frame are to come */
    /* What goes. */
    struct job *first, *last; /* the calls of `send` that are not over, the oldest first */
    size_t unsent;            /* how many bytes wait */
    int64_t again;            /* when to send again, as the system had no memory; INT64_MAX without a time */
    int queued; /* bytes that the system had at the last look, and the peer had not; -1 without a look */
    /* The key of the run that has sent last, and how many of its bytes: the host may make its call again. */
    char key[SPIN_RUN_KEY_SIZE];
    uint64_t sent;
    int is_partial;      /* whether that call was cancelled amid its frame */
    int64_t partial_due; /* and when the connection cannot wait for the rest any more */
};

/* Makes a connection of an endpoint; NULL without memory. The caller still has the socket then. */
struct connection *connection_make(spin_self *self, struct endpoint *endpoint, int socket);

/* The connection of this name that is open; NULL without one, and why. */
struct connection *connection_find(spin_self *self, const char *name, const char **why);

/* Its name in emissions. */
spin_string connection_name(const spin_self *self, const struct connection *connection,
                            char text[address_size]);

/* Serves events of its socket; emits what has waited for room. */
void connection_event(spin_self *self, struct connection *connection, uint32_t events);
void connection_resume(spin_self *self, struct connection *connection);

/* Closes it when all is sent. */
void connection_close(spin_self *self, struct connection *connection);

/* It is over: the socket is closed, and the loop will hear of it. */
void connection_end(spin_self *self, struct connection *connection, const char *reason);

/* Until when a peer that sends no more may take nothing. One that has connected may also wait for answers. */
int64_t connection_answer_due(const spin_self *self, const struct connection *connection);

/* Looks at its times; the next one. */
int64_t connection_check(spin_self *self, struct connection *connection, int64_t now);

/* Has the engine look for what it needs. */
void connection_watch(spin_self *self, struct connection *connection);

/* Takes it out of all lists. The memory lives until the end of the function. */
void connection_remove(spin_self *self, struct connection *connection);

/* Frees it now. */
void connection_free(spin_self *self, struct connection *connection);

#endif
