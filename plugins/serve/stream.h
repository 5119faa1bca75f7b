// Answers whose bodies come in parts.
#ifndef SERVE_STREAM_H
#define SERVE_STREAM_H

#include "exchange.h"

/* The body of such an answer. The response holds it, and so does the call of `stream`, until both are over. */
struct stream {
    spin_self *self;
    int socket;

    /* Under `turn`. */
    int holders;
    struct exchange *exchange; /* NULL before the answer begins, and when it is over */
    char *bytes; /* the parts that the connection has not taken yet: those from `begin` to `end` */
    size_t begin, end, capacity;
    int is_suspended; /* the connection waits for the next part */
    int is_finished;  /* no more parts come */
    int is_cut;       /* the connection is to be closed */
    const char *reason;
    struct ending *opening;    /* the call of `stream` */
    struct ending *deliveries; /* calls of `deliver` that wait until the parts are taken */
};

/* What is to be said at the end of a call. */
enum message { MESSAGE_NOTHING, MESSAGE_DELIVERED, MESSAGE_ENDED };

/* A call that is to end. */
struct ending {
    spin_call *call;
    enum message message;
    const char *reason;    /* of MESSAGE_ENDED */
    struct stream *stream; /* the one that the call holds; NULL for `deliver` */
    struct ending *next;
};

/* Takes a part of a body; the caller holds `turn`. A client for which too much waits is cut. */
void stream_add(struct stream *stream, spin_bytes part);

/* The same for a call of `deliver`, which ends when the connection has taken all parts. */
void stream_deliver(struct stream *stream, spin_bytes part, struct ending *ending);

/* No more parts come; the caller holds `turn`. */
void stream_finish(struct stream *stream);

/* Closes the connection in the middle of the answer; the caller holds `turn`. */
void stream_cut(struct stream *stream, const char *reason);

/* Lets go of a stream; the caller holds `turn`. */
void stream_drop(struct stream *stream);

/* Libmicrohttpd reads a part on the server's thread, and frees the stream of a response. */
ssize_t stream_read(void *context, uint64_t position, char *data, size_t size);
void stream_free(void *context);

/* The answer is over, wholly sent or not; the caller holds `turn`. On the server's thread. */
void stream_over(struct exchange *exchange, int is_whole);

#endif
