// The instance: one connection for all of its calls.
#ifndef NATS_INSTANCE_H
#define NATS_INSTANCE_H

#include "../common/engine.h"
#include "call.h"
#include "calls/keep.h"
#include "link/link.h"
#include "table.h"
#include "wire/nkey.h"

/* From `start` to `stop`, the engine's function alone uses all but the engine and `waiting`. */
struct spin_self {
    const spin_config *config;
    struct engine engine;
    struct place *places;         /* of the servers, in their order */
    char (*reasons)[most_reason]; /* why each is not connected, since there was a connection */
    struct nkey key;              /* with `has_key` */
    int has_key;
    spin_string jwt; /* a part of the settings; without data if they have none */
    SSL_CTX *tls;    /* NULL as long as nothing needs it */
    char inbox[128]; /* the subjects of answers begin with it, as with no other client */
    struct link link;
    struct table table;
    struct scratch scratch;
    struct keep keep;
    atomic_int waiting; /* how many calls that send something have not ended */

    struct calls watchers;    /* of `connection` */
    struct calls subscribers; /* of `subscribe` */
    struct calls consumers;   /* of `consume` */
    struct calls unsent;      /* what waits for the connection; each in the order of `due` */
    struct calls published;   /* what waits until the server has read it */
    struct calls asked;       /* what waits for an answer */
    struct calls blocked;     /* with messages for which the loop had no room */
};

#endif
