// The connection on which the server sends notifications. It is open as long as there are calls of `listen`.
#ifndef POSTGRES_LISTENER_H
#define POSTGRES_LISTENER_H

#include "../postgres.h"
#include "channel.h"
#include "../connection/connection.h"
#include "../../common/database/texts.h"

struct listener {
    struct connection connection;
    struct channel *channels;
    struct channel *asked; /* the channel of the statement that runs; NULL for another one */
    int is_leaving;        /* whether that statement ends to listen */
    PGnotify *held;        /* a notification that not all of its calls have emitted */
    spin_string payload;   /* its text, in `texts` */
    struct texts texts;
    uint64_t number;           /* of the last notification */
    char reason[most_reason];  /* why there is no connection; empty if there is, or was no attempt */
    char refusal[most_reason]; /* why the server refuses the channel; empty if it does not */
    unsigned failures;         /* one after the other */
    int64_t due;               /* when it connects again, or asks whether the server is there */
    int64_t opened;            /* when the connection was ready; 0 without one */
};

void listener_init(struct listener *listener, spin_self *self);

/* Begins a call of `listen`. */
void listener_take(spin_self *self, struct job *job);

/* Lets go of calls that are over. */
void listener_sweep(spin_self *self);

/* Emits, connects and asks the server, as far as it can. */
void listener_serve(spin_self *self, int64_t now);

/* Lets go of all calls and of the connection. */
void listener_end(spin_self *self);

#endif
