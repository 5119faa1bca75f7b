// One call of an effect, from its begin to its end.
//
// Ownership. These hold a request: the effect until it returns, the thread until the request has ended, each
// function that the host will call until it returns, and each signal in the engine's list. The last of them frees it.
//
// Threads. A function with no other comment is for the engine's thread.
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "engine.h"
#include "fields.h"
#include "../std/pieces.h"
#include <stdatomic.h>

struct request;

/* What an effect does with a response. Each function may finish the call, or make it fail. */
struct request_kind {
    /* The size of the struct whose first member is the request. */
    size_t size;
    /* Whether the response is one answer, which `timeout` limits as a whole. */
    int is_whole;
    /* Whether the connection becomes that of a WebSocket. */
    int is_upgrade;
    /* The headers are there: the status is known. */
    void (*begin)(struct request *request);
    /* One header, before `begin`; one with an empty name begins a new response. NULL if they do not matter. */
    void (*header)(struct request *request, spin_string name, spin_string value);
    /* More of the body. */
    void (*take)(struct request *request, const char *data, size_t size);
    /* The body has ended, or there is room again: emits what waits. */
    void (*emit)(struct request *request);
    /* The transfer has failed; NULL if the call fails then. 1 if the request continues. */
    int (*lost)(struct request *request, CURLcode code, const char *reason);
    /* The wait for `due` is over, which `is_waiting` has announced. */
    void (*wake)(struct request *request);
    /* The request ends, for whatever reason; NULL if that does not matter. */
    void (*end)(struct request *request);
    /* There is something to send; NULL if this kind sends nothing after its head. */
    void (*send)(struct request *request);
    /* Writes at most `size` of the bytes that it sends; how many there are. NULL as before. */
    size_t (*give)(struct request *request, char *target, size_t size);
    /* The call is over; may let the request linger. NULL if it never does. */
    void (*leave)(struct request *request);
    /* Frees what belongs to this kind alone. On any thread. */
    void (*release)(struct request *request);
};

/* What a caller wants of a server. All of it is borrowed. */
struct order {
    spin_string method, url;
    spin_list_string headers;
    spin_bytes body;
};

struct request {
    spin_self *self;
    const spin_config *config;
    struct engine *engine;
    spin_call *call;
    const struct request_kind *kind;
    atomic_int holders;
    /* Whether the host has a function for the cancellation, which holds the request. */
    int has_cancel;

    /* Under the engine's `turn`. */
    struct request *next_signalled;
    int signals; /* SIGNAL_… */

    /* The thread's. */
    struct request *next, **link; /* in `active`; `link` is NULL outside */
    int is_over;                  /* the call is over, and the request must end, unless it lingers */
    int lingers;                  /* to take its leave of the server, until `due` at the latest */
    int waits_for_room;
    int has_ended;  /* the whole body has come */
    int64_t due;    /* when `timeout`, `idle_timeout` or a wait is over; INT64_MAX: never */
    int is_waiting; /* for `due`, without a transfer */
    int64_t heard;  /* when the last bytes came */

    /* The transfer. */
    CURL *easy;
    int is_added; /* to the engine's multi handle */
    char *method;
    char *url;       /* the one of the last redirect */
    char *first_url; /* the caller's, after a redirect */
    int has_body;
    int is_elsewhere;        /* a redirect has led to another server */
    struct curl_slist *own;  /* the headers of the caller and the settings */
    struct curl_slist *sent; /* what libcurl uses */
    int redirects;
    long status;
    char phrase[64]; /* of the status line; may be empty */
    int has_location, has_begun, skips_body;
    size_t header_bytes;
    int64_t body_bytes; /* decoded, of this response */
    char error[CURL_ERROR_SIZE];
    CURLcode failure; /* of a transfer that has ended while the request waits for room */
    struct reason why;
};

/* Makes a request of `kind`, which the effect holds. NULL after a failure: the call has failed. Called by an
 * effect. */
struct request *request_make(spin_call *call, spin_self *self, const struct request_kind *kind,
                             const struct order *order);

/* Makes a request and starts it. Called by an effect that has nothing to add between. */
void request_begin(spin_call *call, spin_self *self, const struct request_kind *kind,
                   const struct order *order);

/* Gives the request to the thread. The effect has no hold any more. Called by an effect. */
void request_start(struct request *request);

/* Gives a signal to the thread. On any thread that holds the request. */
void request_signal(struct request *request, int signal);

/* Frees the request when this was the last hold. On any thread. */
void request_drop(struct request *request);

/* Whether an emission of so many bytes was taken, or refused for good. Otherwise the request waits for room, or is
 * over. */
int request_continues(struct request *request, spin_status status, size_t size);

/* Ends the call. */
void request_finish(struct request *request);

/* Ends the call as failed: `METHOD URL: REASON`. `code` is positive: a status, or a number of libcurl. */
__attribute__((format(printf, 3, 4))) void request_fail(struct request *request, int code, const char *format,
                                                        ...);

/* Ends a request: its transfer, and the thread's hold. The call is over. */
void request_end(struct request *request);

/* The call is over: takes leave of the server, if this kind does. */
void request_leave(struct request *request);

/* Ends a request whose call is over, unless it lingers. */
void request_end_if_over(struct request *request);

/* Copies as much of the URL as a message may show. */
void request_url(const struct request *request, char *target, size_t capacity);

/* Sets `due`. */
void request_set_due(struct request *request, int64_t time);

/* Has the request woken at this time. */
void request_wait_until(struct request *request, int64_t time);

#endif
