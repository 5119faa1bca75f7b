// The format of server-sent events, as the HTML standard of the WHATWG describes it.
#ifndef HTTP_SSE_H
#define HTTP_SSE_H

#include "../std/pieces.h"

/* The state of a stream. A zeroed one with `pieces.has_lone_returns` is at the start of a stream. */
struct sse {
    struct pieces pieces;
    struct pieces name, data; /* of the message that is not whole yet */
    struct pieces id;         /* the last id that the stream has named */
    struct pieces last_id;    /* that of the last message that was taken */
    int has_data;
    int is_started; /* the first line has come, before which a byte order mark may be */
    int64_t retry;  /* what the server has named, in milliseconds; -1 before */
};

struct sse_message {
    spin_string name, data;
};

/* Appends bytes of the stream; 0 for want of memory. */
int sse_add(struct sse *sse, const char *data, size_t size);

/* The next whole message. It belongs to `sse`, and is valid until the next call. */
enum piece_found sse_next(struct sse *sse, struct sse_message *message);

/* The caller has taken the message that was returned last; 0 for want of memory. */
int sse_taken(struct sse *sse);

/* The bytes of the message that is not whole yet. */
size_t sse_size(const struct sse *sse);

/* A new connection, which continues behind `last_id`; 0 for want of memory. */
int sse_restart(struct sse *sse);

void sse_free(struct sse *sse);

#endif
