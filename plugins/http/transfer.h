// The exchange of a request with servers: one transfer of libcurl, and another one for each redirect.
#ifndef HTTP_TRANSFER_H
#define HTTP_TRANSFER_H

#include "request.h"

// These functions do not end a request whose call is over: their caller does.

/* Sets up the handle; 0 for want of memory. Called by an effect. */
int transfer_prepare(struct request *request, const struct order *order);

/* Sets a header in place of another one with its name; 0 for want of memory. */
int transfer_set_header(struct request *request, const char *header);

/* Begins. */
void transfer_begin(struct request *request);

/* Begins again with the first URL, as if no redirect had been. */
void transfer_restart(struct request *request);

/* libcurl has ended the transfer. */
void transfer_done(struct request *request, CURLcode code);

/* The time limit is over. */
void transfer_due(struct request *request);

/* Emits what waits, as there is room again, and continues. */
void transfer_continue(struct request *request);

/* Takes the transfer away from libcurl, wherever it is. */
void transfer_remove(struct request *request);

/* Fails unless the status says that the request has succeeded: 200 to 299. */
void transfer_require_success(struct request *request);

/* Frees the handle and all that belongs to it. */
void transfer_free(struct request *request);

#endif
