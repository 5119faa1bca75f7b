// The open connections of an instance by their names, and what waits to be sent on them.
//
// Threads. An effect adds a parcel, and a cancellation takes it out again, on any thread. The engine's thread opens and
// closes outboxes, and takes parcels. A parcel holds its request, so that the instance outlives it.
#ifndef HTTP_OUTBOX_H
#define HTTP_OUTBOX_H

#include "../request.h"
#include "frames.h"

enum { CONNECTION_NAME_SIZE = 40 };

/* What one call sends: a message, or with MESSAGE_CLOSED the end of the connection. */
struct parcel {
    struct parcel *next;
    struct outbox *outbox; /* NULL outside */
    int is_cancelled;      /* under the lock */
    struct request *request;
    spin_call *call;
    atomic_int holders;
    enum message_kind kind;
    uint16_t code; /* of MESSAGE_CLOSED */
    size_t size;
    char data[]; /* with a NUL */
};

/* That of one connection. A zeroed one is closed. */
struct outbox {
    struct outbox *next;
    struct request *request;
    char name[CONNECTION_NAME_SIZE]; /* empty when it is closed */
    struct parcel *first, **last;
    int64_t unsent; /* bytes of parcels that have not ended */
};

/* All of an instance. Zeroed ones are empty, once they have a lock. */
struct outboxes {
    pthread_mutex_t turn;
    struct outbox *first;
    uint64_t count; /* of all connections so far */
    uint64_t nonce; /* names no connection of another instance */
};

/* Opens the outbox of a new connection, and names it; 0 if there is no randomness. */
int outbox_open(struct outbox *outbox, struct request *request);

/* Closes it. The messages in it fail. A parcel of MESSAGE_CLOSED has what it wants; 1 if there was one. */
int outbox_close(struct outbox *outbox);

/* Takes the first parcel out; NULL without one. */
struct parcel *outbox_take(struct outbox *outbox);

/* Ends a parcel that was taken out: it was sent, or with a reason it was not. */
void outbox_end(struct outbox *outbox, struct parcel *parcel, const char *reason);

/* Adds a parcel to the outbox with this name. The call fails if that is not possible. Called by an effect. */
void outboxes_send(spin_call *call, spin_self *self, spin_string name, enum message_kind kind, uint16_t code,
                   const char *data, size_t size);

#endif
