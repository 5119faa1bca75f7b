// What one call of `connect`, `listen` or `receive` has open.
//
// When its call is cancelled, an endpoint is left for a moment: in a swap the host makes the same call again, which
// takes it over. After that moment it ends in order.
#ifndef NET_ENDPOINT_H
#define NET_ENDPOINT_H

#include "connection.h"
#include "job.h"

struct endpoint {
    struct endpoint *next;
    struct job *job;             /* NULL while it is left, and while it ends */
    int is_ending;               /* whether it is there only until its connections are closed */
    int64_t left_due;            /* while it is left: when it ends */
    enum job_kind kind;          /* JOB_CONNECT, JOB_LISTEN or JOB_RECEIVE */
    char key[SPIN_RUN_KEY_SIZE]; /* of the run that has it */
    struct address address;
    struct framing framing;
    struct connection *first, **last;
    struct source source;              /* that listens, receives or is about to connect */
    int64_t due;                       /* when it tries again, or gives up; INT64_MAX without a time */
    char closed_by[SPIN_RUN_KEY_SIZE]; /* of the run of `close` that has closed a connection last */
    int is_blocked;                    /* whether its call waits for room */
    /* Why it has no connection or socket, or cannot accept; empty if it can, or never tried. */
    char reason[most_reason];
    unsigned failures;     /* one after the other */
    int is_untold;         /* JOB_LISTEN, JOB_RECEIVE: whether it has a socket that the loop does not know;
                               * JOB_CONNECT: whether the loop does not know the reason */
    struct lookup *lookup; /* JOB_CONNECT: while it connects */
    int is_found;          /* JOB_CONNECT: whether the lookup has its answer */
    struct datagram *datagram; /* JOB_RECEIVE: one that has found no room */
    uint64_t device, file;     /* JOB_LISTEN: of the file of its local socket, to remove it; 0 without one */
};

/* Begins a call: it takes over what it has had, or opens it. Or fails it. */
void endpoint_take(spin_self *self, struct job *job);

/* The endpoint of a call that is not over, by its address; NULL without one. */
struct endpoint *endpoint_find(spin_self *self, enum job_kind kind, const char *name);

/* Whether its call may emit now. */
int endpoint_can_emit(const struct endpoint *endpoint);

/* Whether its call may emit more after such an emission; remembers that it waits for room. */
int endpoint_continues(struct endpoint *endpoint, spin_status status);

/* Serves events of its own socket. */
void endpoint_event(spin_self *self, struct endpoint *endpoint, uint32_t events);

/* Looks at its times. */
void endpoint_check(spin_self *self, struct endpoint *endpoint, int64_t now);

/* Emits what has waited for room. */
void endpoint_resume(spin_self *self, struct endpoint *endpoint);

/* Leaves it, as its call is over. */
void endpoint_leave(spin_self *self, struct endpoint *endpoint);

/* Ends it in order: its connections send what waits. */
void endpoint_end(spin_self *self, struct endpoint *endpoint);

/* Fails its call, and ends it. */
void endpoint_fail(spin_self *self, struct endpoint *endpoint, const char *reason);

/* Takes an endpoint that has ended out of the list when it has no connection any more. */
void endpoint_sweep(spin_self *self, struct endpoint *endpoint);

/* Makes an endpoint without a socket, in the list of the instance; NULL without memory. */
struct endpoint *endpoint_make(spin_self *self);
void endpoint_free(spin_self *self, struct endpoint *endpoint);

#endif
