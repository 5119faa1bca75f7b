// What one call of `read` has: a connection of its own, and the entries that are in work.
//
// When its call is cancelled, a stream is left for a moment: in a swap the host makes the same call again, which takes
// it over with its entries.
#ifndef REDIS_STREAM_H
#define REDIS_STREAM_H

#include "entries.h"
#include "../job.h"
#include "../link/link.h"

/* The texts that tell one stream from another. */
enum { STREAM_KEY, STREAM_GROUP, STREAM_CONSUMER, stream_texts };

struct stream {
    struct stream *next;
    struct link link;
    struct job *job;                 /* NULL while it is left */
    int64_t left_due;                /* while it is left: when it ends */
    char key[SPIN_RUN_KEY_SIZE];     /* of the run that has it */
    const char *texts[stream_texts]; /* in memory that belongs to it */
    size_t sizes[stream_texts];
    int acknowledges; /* whether the plugin does, and not the app */
    struct entries entries;

    /* How it reads. */
    int needs_group;      /* whether the group must be made first */
    int has_pending;      /* whether there may be more that the server has given to this consumer before */
    struct entry_id last; /* the last one of these */
    char cursor[id_size]; /* where the next claim begins */
    size_t most_asked;    /* the most entries that it asks for at once */
    size_t count;         /* how many it has asked for last */
    int64_t asked, block; /* when it has asked for new ones last, and how long the server was to wait */
    int64_t claim_due;    /* when to claim; INT64_MAX is never */
    int64_t retry_due;    /* when to ask again after a failure; 0 without one */
    int is_hasty;         /* whether the server has not waited for new ones */
    unsigned failures;    /* one after the other */
    int is_named_full;    /* whether the log says that too many entries are in work */
    char trouble[most_reason]; /* the failure that the log has named last */

    /* The entries that the loop has not taken. */
    struct reply held;
    size_t held_next, held_end; /* the places of the next entry, and behind the last one */
    int is_again;               /* whether they may have been given to a consumer before */
    int is_blocked;             /* whether the call waits for room */
    redis_field *fields;        /* memory for those of an entry */
    size_t field_capacity;

    /* How it acknowledges, over the connection for commands. */
    int is_acknowledging; /* whether an acknowledgement has no answer */
    int64_t acknowledge_due;
    unsigned acknowledge_failures;
    size_t waiting; /* how many calls of `acknowledge` its entries have */
};

/* Begins a call: it takes over what it has had, or makes it. Or fails it. */
void stream_begin(spin_self *self, struct job *job);

/* Fails its call. */
void stream_fail(struct stream *stream, const char *reason);

/* Names a failure that may pass in the log, once. */
void stream_complain(struct stream *stream, const char *reason);

/* Forgets entries that are acknowledged, unless they may come once more. */
void stream_forget(struct stream *stream);

/* Looks at its times. */
void stream_check(struct stream *stream, int64_t now);

/* Leaves those whose calls are over, and lets go of calls of `acknowledge`. */
void streams_sweep(spin_self *self);

/* Has restored streams wait for their calls. */
void streams_start(spin_self *self);

/* Closes all connections at the end. The host has ended all calls. The entries stay. */
void streams_stop(spin_self *self);

/* Makes one that is left, at the end of the list; NULL without memory. */
struct stream *stream_make(spin_self *self, const char *const texts[stream_texts],
                           const size_t sizes[stream_texts]);

void streams_free(spin_self *self);

#endif
