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

/* The room for the name of a request: the nonce, a hyphen, and a number. */
enum { exchange_name_size = 40 };
void exchange_name(const struct exchange *exchange, char *name);

/* Answers a request that waits; the caller holds `turn`. The exchange owns the response then. Its `stream` is set
 * before, if it has one. */
void exchange_answer(struct exchange *exchange, unsigned status, struct MHD_Response *response);

/* The request of that name that waits, and the one whose answer is a stream, with `turn` held; NULL without one. */
struct exchange *exchange_waiting(spin_self *self, spin_string name);
struct exchange *exchange_streaming(spin_self *self, spin_string name);

/* What a call says that finds no request that waits. */
extern const char no_such_request[];

/* The stream with this number, with `turn` held; NULL without one. */
struct exchange *exchange_stream_numbered(spin_self *self, uint64_t number);

/* A short text as a response; NULL without memory. */
struct MHD_Response *exchange_text(const char *text);

/* Answers a request that does not wait. A client that is refused with 400 must not speak on. */
enum MHD_Result exchange_refuse(struct MHD_Connection *connection, unsigned status, const char *reason);

/* An answer for a client that has it already: without a body, and without a length, which would be that of the body for
 * a cache. NULL without memory. */
struct MHD_Response *exchange_not_modified(void);

/* Answers all requests that have waited too long, or all. Returns when the next one is due; INT64_MAX without one. */
int64_t exchange_expire(spin_self *self, int all);

/* The functions that libmicrohttpd calls, on the server's thread. */
enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data, size_t *size,
                                void **own);
void exchange_over(void *context, struct MHD_Connection *connection, void **own,
                   enum MHD_RequestTerminationCode code);

#endif
