// What the files of a transfer share.
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include "transfer.h"

/* What libcurl calls for each line of a header, and for each piece of a body; `context` is the request. */
size_t exchange_header(char *line, size_t unit, size_t units, void *context);
size_t exchange_body(char *data, size_t unit, size_t units, void *context);

/* Sets the method, and whether there is a body; 0 after a failure. */
int exchange_set_method(struct request *request);

/* Makes the list of headers for the server of the present URL; 0 for want of memory. */
int exchange_set_headers(struct request *request);

/* Begins a limit of time from now on. */
void exchange_set_due(struct request *request, spin_duration time);

#endif
