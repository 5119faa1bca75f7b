// The server of an instance. From `start` to `stop` its thread runs libmicrohttpd, tells the loop of requests, and ends
// those that wait too long.
//
// `turn` is the only lock of the plugin. No function of the host is called under it, and of libmicrohttpd those alone
// that suspend and resume a connection.
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include "serve.h"
#include "../common/thread.h"
#include <microhttpd.h>
#include <pthread.h>

struct connection;
struct exchange;
struct listener;

/* A power of two. */
enum { exchange_buckets = 1024 };

struct spin_self {
    const spin_config *config;
    /* The socket that listens; -1 without one. It outlives `stop`, so that another version can take it over. */
    int listening;
    struct MHD_Daemon *daemon;
    unsigned limit; // connections at a time
    pthread_t thread;
    /* Wakes the thread; -1 before `start`. */
    int bell;
    /* The folder of `files`; -1 without one. */
    int folder;
    /* For the thread alone: how many connections have made no request yet, and those that a request is expected of, by
     * their deadlines. */
    size_t fresh;
    struct connection *first_reading, *last_reading;
    /* Tells the requests of this instance from those of others. */
    char nonce[17];

    pthread_mutex_t turn;
    pthread_cond_t changed; /* broadcast when a listener is freed */
    /* Under `turn`. */
    int is_open;
    uint64_t last;                               /* the number of the last request */
    struct exchange *first, *last_waiting;       /* requests without an answer, the oldest first */
    struct exchange *untold;                     /* the first of them that the loop was not told of */
    int32_t waiting;                             /* how many they are */
    size_t exchanges;                            /* how many requests are not over */
    struct exchange *buckets[exchange_buckets];  /* those without an answer, by their numbers */
    struct listener *listeners, **last_listener; /* the calls of `requests`, the oldest first */
    size_t listener_count;                       /* how many are not freed */
};

/* Zeroed memory becomes a server that does not run; an error number after a failure. */
int server_init(spin_self *self);
void server_free(spin_self *self);

/* Begins to listen and to serve; NULL, or why it cannot. */
const char *server_start(spin_self *self, char *reason, size_t size);

/* Ends requests that wait, and the thread. */
void server_stop(spin_self *self);

/* Has the thread look at what is to be done. On any thread; the caller of the first one holds `turn`. */
void server_ring(spin_self *self);
void server_wake(spin_self *self);

#endif
