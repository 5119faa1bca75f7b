// Responses of the loop, and those of the plugin itself.
#ifndef SERVE_RESPONSE_H
#define SERVE_RESPONSE_H

#include "server.h"

enum { most_reason = 256 };

/* Adds the headers to a response, and returns it. Otherwise destroys it, and writes why. A response that is NULL has
 * found no memory. */
struct MHD_Response *response_with(struct MHD_Response *response, int32_t status, int has_body,
                                   spin_list_string headers, char *reason);

/* A short text as a response; NULL without memory. */
struct MHD_Response *response_text(const char *text);

/* An answer for a client that has it already: without a body, and without a length, which would be that of the body for
 * a cache. NULL without memory. */
struct MHD_Response *response_not_modified(void);

/* Answers a request that does not wait. A client that is refused with 400 must not speak on. */
enum MHD_Result response_refuse(struct MHD_Connection *connection, unsigned status, const char *reason);

#endif
