// Each file of the plugin includes this first.
#ifndef HTTP_H
#define HTTP_H

// For dladdr. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>

SPIN_CONFIG((spin_duration, timeout, "1m", "1ms", "24h",
             "How long `get`, `post` and `request` may take, and the start of the other effects."),
            (spin_duration, connect_timeout, "10s", "1ms", "1h", "How long it may take to connect."),
            (spin_duration, idle_timeout, "1h", "1ms", "24h", "How long a stream may be silent."),
            (int64_t, largest_body, 16777216, 1, 1073741824,
             "The most bytes of a body, a line, an event or a message, after decompression."),
            (spin_duration, ping_interval, "30s", "1ms", "24h",
             "How long a WebSocket may be silent before a ping, and after it."),
            (int64_t, most_unsent, 16777216, 1, 1073741824,
             "The most bytes that wait to be sent on a WebSocket."),
            (int32_t, most_redirects, 5, 0, 50, "The most redirects of a request that are followed."),
            (int32_t, most_connections, 8, 1, 1000, "The most connections to one server at a time."),
            (spin_string, user_agent, "spinhost-http/1.0", "What the plugin says of itself."),
            (spin_list_string, headers, {}, "Headers of each request, such as `Accept: text/plain`."),
            (spin_secret, secret_header, {},
             "One more header, such as `Authorization: Bearer KEY`, for the server of the URL alone."),
            (spin_string, ca_file, "", "A file of certificates to trust, in place of the system's."),
            (spin_string, proxy, "", "The URL of a proxy; without it, the environment says which."));

#endif
