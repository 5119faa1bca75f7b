// One call of an effect.
#ifndef NATS_CALL_H
#define NATS_CALL_H

#include "../common/engine_call.h"
#include "calls/hold.h"
#include "nats.h"

enum call_kind {
    CALL_CONNECTION,
    CALL_SUBSCRIBE,
    CALL_CONSUME,
    CALL_PUBLISH,
    CALL_REQUEST,
    CALL_STORE,
    CALL_ACKNOWLEDGE
};

/* A list of calls. Zeroed memory is an empty one. */
struct calls {
    struct call *first, *last;
};

/* What `consume` asks its consumer for. */
struct pull {
    int64_t number; /* of the request; 0 before the first one */
    int64_t left;   /* how many messages or answers to it have not come; 0: it has ended */
    int is_known;   /* whether the server has said that the consumer is there, since the last failure */
    int64_t sent;   /* when it was asked last */
    int64_t due;    /* when the server must have said something, or when to ask again */
    unsigned failures;
    int is_untold;            /* whether the loop has not heard the reason */
    char reason[most_reason]; /* why there are no messages; empty as long as there may be */
};

struct call {
    struct engine_call base;
    spin_self *self;
    enum call_kind kind;
    atomic_int is_waiting; /* `most_waiting` counts it */

    /* For the engine. */
    struct calls *home; /* the list that it is in */
    struct call *previous, *next;
    uint64_t ticket; /* its number for the server; 0 without one */
    int64_t due;     /* when what it sends must have been answered */
    uint64_t seen;   /* the state that it has emitted last, or the ping behind its message */
    struct hold hold;
    struct pull pull;
    int64_t batch;   /* of `consume` */
    int is_repeated; /* whether the run had a call before; of `subscribe` */

    /* Copies of the arguments, in the memory of the call: a cancelled call takes its arguments along. */
    spin_string subject; /* or the stream */
    spin_string name;    /* the queue, or the consumer */
    spin_string header;
    spin_bytes data;
};

/* Makes a call of copies, and gives it to the engine. Called by an effect. */
void call_begin(spin_self *self, struct call order);

/* Moves a call to the end of a list; NULL: to no list. */
void call_move(struct call *call, struct calls *list);

/* End a call: as it should, or with a reason. The engine lets go of it. */
void call_finish(struct call *call);
void call_fail(struct call *call, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Lets go of the calls that are over, or of all. */
void calls_sweep(spin_self *self);
void calls_drop(spin_self *self);

#endif
