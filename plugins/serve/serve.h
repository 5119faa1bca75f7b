// Each file of the plugin includes this first.
#ifndef SERVE_H
#define SERVE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>

SPIN_CONFIG((spin_string, listen, "127.0.0.1:8080",
             "The place where it listens, as `ADDRESS:PORT`. `*` means all addresses, and port 0 a free port."),
            (spin_string, files, "", "A folder whose files are answers to GET, without an event."),
            (spin_string, certificate_file, "",
             "A file of certificates as PEM: that of the server first. It then speaks TLS."),
            (spin_string, key_file, "", "The file of the key of the certificate, as PEM without a password."),
            (spin_duration, answer_timeout, "30s", "10ms", "24h", "How long a request waits for its answer."),
            (spin_duration, idle_timeout, "1m", "1s", "24h",
             "How long a connection may take until its next request is whole, or be silent."),
            (int64_t, largest_body, 1048576, 0, 16777216, "The most bytes of the body of a request."),
            (int64_t, largest_backlog, 1048576, 1, 1073741824, "The most bytes of a stream that wait for its client."),
            (int32_t, most_waiting, 1000, 1, 1000000, "The most requests that wait for an answer."),
            (int32_t, most_connections, 1000, 1, 100000, "The most connections at a time."));

/* A header of a request, or a part of the query of its URL. */
SPIN_RECORD(serve_field, (spin_string, name), (spin_string, value));

#endif
