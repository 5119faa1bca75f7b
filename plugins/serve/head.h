// The head of a request: what libmicrohttpd lets through, and a proxy may read in another way.
#ifndef SERVE_HEAD_H
#define SERVE_HEAD_H

#include "server.h"

/* The status to refuse a request with, and the reason; 0 if it is good. */
unsigned head_check(struct MHD_Connection *connection, const char *path, const char *method,
                    const char **reason);

/* The path of a URL that may begin with `http://HOST`. */
const char *head_path(const char *url);

/* Decodes a text in its own memory: `%41` becomes `A`. `%00` stays, as it would end the text. Returns the new size. */
size_t head_decode(void *context, struct MHD_Connection *connection, char *text);

#endif
