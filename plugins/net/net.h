// Each file of the plugin includes this first.
#ifndef NET_H
#define NET_H

// For accept4, memmem and names of errors. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>

SPIN_CONFIG((int64_t, longest, 65536, 1, 16777216, "The most bytes of a frame or a datagram."),
            (int64_t, most_connections, 1000, 1, 1000000,
             "The most connections that peers have opened; later ones wait."),
            (int64_t, most_unsent, 1048576, 1, 1073741824,
             "The most bytes of a connection that wait until they can be sent."),
            (spin_duration, connect_timeout, "10s", "10ms", "1h",
             "How long an address may take to accept a connection."),
            (spin_duration, idle_timeout, "0s", "0s", "8760h",
             "After how long a connection is closed over which nothing comes or goes; 0 is never."),
            (spin_duration, answer_timeout, "1s", "0s", "8760h",
             "How long a peer that sends no more may wait for answers."),
            (spin_duration, keep_alive, "1m", "0s", "9h",
             "How long a connection may be silent before the system asks for the peer; 0 is never."),
            (spin_duration, reconnect_least, "1s", "10ms", "24h",
             "How long the plugin waits before it connects or listens again."),
            (spin_duration, reconnect_most, "1m", "10ms", "24h", "How long it waits at most, after several failures."));

/* The code of a failure. */
enum { NET_NOT_CONNECTED = -128 };

enum { most_reason = 256 };

#endif
