// The answers of a server, which hiredis reads. All values of an answer are in one list: those of a list follow it,
// each with its depth.
#ifndef REDIS_REPLY_H
#define REDIS_REPLY_H

#include "../redis.h"
#include <hiredis/read.h>

struct reply_block;

/* What a value is. It is at the same place in `kinds` as the value in `values`. */
enum reply_kind { REPLY_TEXT, REPLY_INTEGER, REPLY_NULL, REPLY_LIST, REPLY_ERROR };

struct reply {
    redis_value *values; /* `integer` of a list is the number of its own values */
    uint8_t *kinds;
    size_t count, capacity;
    struct reply_block *blocks; /* the texts, in memory that does not move */
    int64_t size, largest;      /* as `largest_answer` counts */
    char fault[128];            /* why an answer cannot be read; empty if it can */
    int is_too_large;           /* whether that is so because of `largest` */
    redisReader *reader;        /* NULL without a connection */
};

/* Begins to read answers of at most so many bytes; 0 without memory. */
int reply_begin(struct reply *reply, int64_t largest);

/* Ends reading, and keeps the memory. */
void reply_end(struct reply *reply);

/* Frees the memory, too. */
void reply_free(struct reply *reply);

/* Takes bytes that have come; 0 if they cannot be read: `fault` says why. */
int reply_feed(struct reply *reply, const char *bytes, size_t size);

/* Reads the next answer: 1, or 0 if it is not whole yet, or -1 if it cannot be read: `fault` says why. */
int reply_next(struct reply *reply);

/* Forgets the answer. */
void reply_clear(struct reply *reply);

/* Moves the answer to another place, which is clear, and gives the memory there in exchange. */
void reply_move(struct reply *reply, struct reply *to);

/* Whether a value is a text that is this one. */
int reply_is(const struct reply *reply, size_t place, const char *text);

/* Where the value behind this one is, and all that it has within. */
size_t reply_behind(const struct reply *reply, size_t place);

#endif
