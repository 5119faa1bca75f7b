// A connection to the server. It is made again and again, until its end.
//
// The first request that is sent and has no answer gets the next answer, whatever that is. While the owner of the link
// cannot handle an answer, nothing is read, and the silence of the server does not count.
#ifndef REDIS_LINK_H
#define REDIS_LINK_H

#include "reply.h"
#include "request.h"
#include "../../common/lookup.h"
#include <stdint.h>

struct link;

/* What the owner of a link does. */
struct link_kind {
    const char *purpose; /* for the log */
    /* Whether it can handle an answer now. */
    int (*can_read)(struct link *link);
    /* Handles the answer in `reply`; 0 if it must wait. */
    int (*answer)(struct link *link);
    /* The server has accepted the client, or the link is lost: `reason` says why. */
    void (*is_up)(struct link *link);
    void (*is_lost)(struct link *link);
};

enum link_state {
    LINK_IS_IDLE, /* until it is needed */
    LINK_RESTS,   /* until `due` */
    LINK_ASKS,    /* for the addresses of the server */
    LINK_CONNECTS,
    LINK_GREETS, /* until the server has accepted the client */
    LINK_IS_UP
};

struct link {
    struct link *next;
    const struct link_kind *kind;
    spin_self *self;
    enum link_state state;
    int socket;              /* -1 without one */
    int is_watched, is_hung; /* is_hung: a hang-up has come, so the engine must not watch it any more */
    uint32_t events;         /* those that the engine looks for */
    struct lookup *lookup;   /* while it asks and connects; NULL for a local socket */
    int64_t due;             /* when to connect, or to give up; INT64_MAX without a time */
    unsigned failures;       /* one after the other */
    int64_t up_since;
    int64_t active; /* when bytes have come last, or gone while no answer was due */
    struct reply reply;
    int has_reply;            /* whether `reply` is an answer that was not handled yet */
    struct request *first;    /* without an answer, the oldest one first */
    struct request **last;    /* where the next one goes */
    struct request **sends;   /* where the first one is that is not sent as a whole */
    char reason[most_reason]; /* why it is not up; empty if it is, or has never tried */
    const char *farewell;     /* why it ends when all that was sent has its answers; NULL if it does not */
};

/* Zeroed memory becomes a link without a connection, in the list of the instance. */
void link_init(struct link *link, spin_self *self, const struct link_kind *kind);

/* Closes it and frees its requests, until it begins again. The owner does not hear of it. */
void link_close(struct link *link);

/* Does so, and takes it out of the list. */
void link_free(struct link *link);

/* Begins to connect, if nothing was needed before. */
void link_begin(struct link *link);

/* Sends a request when those before are sent, at the end of the function. */
void link_add(struct link *link, struct request *request);

/* Adds requests before all others. Nothing of the others was sent. */
void link_add_first(struct link *link, struct request *first, struct request *last);

/* Takes the first request out; NULL without one. */
struct request *link_remove(struct link *link);

/* The request that the answer belongs to; NULL if nobody has asked. */
struct request *link_asked(const struct link *link);

/* How long the server may be silent: to a request, or before it gets one. */
int64_t link_longest_silence(const struct link *link);

/* Sends what the system takes. `link_flush` leaves it to the next event if the system takes nothing now. */
void link_write(struct link *link);
void link_flush(struct link *link);

/* Handles answers that have come, until it must wait. */
void link_run(struct link *link);

/* Ends the connection when all that was sent has its answers: the server cannot be used. */
void link_part(struct link *link, const char *farewell);

/* Ends the connection now, and waits until it connects again. */
void link_lose(struct link *link, const char *reason);

/* Serves events of the socket, and looks at the times. */
void link_event(struct link *link, uint32_t events);
void link_check(struct link *link, int64_t now);

/* Has the engine look for what it needs. */
void link_watch(struct link *link);

#endif
