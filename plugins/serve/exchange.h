// One request and its answer. The server's thread makes and frees it.
#ifndef SERVE_EXCHANGE_H
#define SERVE_EXCHANGE_H

#include "server.h"

enum exchange_state { EXCHANGE_READING, EXCHANGE_WAITING, EXCHANGE_ANSWERED };

struct stream;

struct exchange {
    spin_self *self;
    struct MHD_Connection *connection;
    uint64_t number;
    /* Libmicrohttpd keeps both while the request lasts. */
    const char *method, *path;
    char *body;
    size_t size, capacity;
    int is_too_large;
    size_t dropped; /* bytes of a body that is too large */
    int64_t due;

    /* Under `turn`. While it waits, it is in the list and in a bucket; while it is a stream, in the bucket alone. */
    enum exchange_state state;
    struct stream *stream; /* the body that comes in parts; NULL for another one */
    struct exchange *next, *previous, *next_in_bucket;
    struct MHD_Response *response;
    unsigned status;
};

/* Answers a request that waits; the caller holds `turn`. The exchange owns the response then. Its `stream` is set
 * before, if it has one. */
void exchange_answer(struct exchange *exchange, unsigned status, struct MHD_Response *response);

/* Answers all requests that have waited too long, or all. Returns when the next one is due; INT64_MAX without one. */
int64_t exchange_expire(spin_self *self, int all);

/* The functions that libmicrohttpd calls, on the server's thread. */
enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data, size_t *size,
                                void **own);
void exchange_over(void *context, struct MHD_Connection *connection, void **own,
                   enum MHD_RequestTerminationCode code);

#endif
