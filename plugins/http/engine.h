// The thread of an instance. It alone calls libcurl for requests that have begun.
//
// Other threads speak to it by signals: an effect has made a request, the host cancels a call, a full mailbox has
// room again, there is a message to send. A signal waits in a list below the lock, until the thread takes all of them.
//
// Locks. The plugin has three: this one, that of the places, and that of the outboxes. No thread takes one under
// another, and no thread calls the host or libcurl under one.
#ifndef HTTP_ENGINE_H
#define HTTP_ENGINE_H

#include "http.h"
#include "../common/thread.h"
#include <curl/curl.h>
#include <pthread.h>

struct request;

enum signal { SIGNAL_BEGIN = 1, SIGNAL_CANCEL = 2, SIGNAL_ROOM = 4, SIGNAL_SEND = 8 };

struct engine {
    pthread_mutex_t turn;
    /* Signalled when the last request is freed. */
    pthread_cond_t is_empty;

    /* Under `turn`. */
    struct request *first, *last; /* the requests with signals, in order */
    size_t requests;              /* how many are not freed */
    int is_open;                  /* whether the thread takes signals */

    /* The thread's, or that of `start` and `stop`. */
    pthread_t thread;
    CURLM *multi;
    struct request *active; /* the requests that have begun and not ended */
    int64_t next_due;       /* no active request is due before */
};

/* Zeroed memory becomes an engine without a thread; an error number after a failure. */
int engine_init(struct engine *engine);

/* Begins with its thread. On failure it has none, and `*why` is the reason. */
int engine_start(struct engine *engine, int32_t most_connections, const char **why);

/* Ends the thread. The host has ended all calls, so no request has an effect any more. */
void engine_stop(struct engine *engine);

/* Waits until all requests are freed, and frees the rest. */
void engine_destroy(struct engine *engine);

#endif
