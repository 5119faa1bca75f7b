// Responses whose status and headers the loop has chosen.
#ifndef SERVE_RESPONSE_H
#define SERVE_RESPONSE_H

#include "server.h"

enum { most_reason = 256 };

/* Adds the headers to a response, and returns it. Otherwise destroys it, and writes why. A response that is NULL has
 * found no memory. */
struct MHD_Response *response_with(struct MHD_Response *response, int32_t status, int has_body,
                                   spin_list_string headers, char *reason);

#endif
