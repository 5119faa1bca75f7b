// The requests of a connection. Answers come in their order, so the list of requests tells which answer is whose.
#ifndef REDIS_REQUEST_H
#define REDIS_REQUEST_H

#include "../redis.h"
#include <stddef.h>

struct job;
struct stream;

enum request_kind {
    REQUEST_LOGIN,    /* AUTH */
    REQUEST_DATABASE, /* SELECT */
    REQUEST_FIRST_PING,
    REQUEST_PING,
    REQUEST_COMMAND,
    REQUEST_SUBSCRIBE,
    REQUEST_CREATE_GROUP,
    REQUEST_PENDING, /* what the server has given to this consumer before */
    REQUEST_NEW,     /* what it has given to no consumer */
    REQUEST_CLAIM,
    REQUEST_ACKNOWLEDGE
};

struct request {
    struct request *next;
    enum request_kind kind;
    struct job *job;        /* REQUEST_COMMAND: whose it is a part of */
    struct stream *stream;  /* REQUEST_ACKNOWLEDGE: whose entries it has; NULL if that is over */
    size_t answers;         /* how many answers it gets */
    spin_duration patience; /* how much longer than others it may take */
    char *bytes;
    size_t size, done;
};

/* The words of a command. */
struct words {
    size_t count;
    const char *const *data;
    const size_t *sizes;
};

/* Writes a command as the bytes of a request; 0 without memory. */
int request_write(struct request *request, const struct words *words);

/* Makes a request of words; NULL without memory. */
struct request *request_of_words(enum request_kind kind, const struct words *words);

/* Makes a request of texts, which ends with a NULL; NULL without memory. */
struct request *request_make(enum request_kind kind, const char *const *texts);

/* Frees the request, or the part of a job that it is. */
void request_free(struct request *request);

#endif
