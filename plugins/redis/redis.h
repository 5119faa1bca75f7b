// Each file of the plugin includes this first.
#ifndef REDIS_H
#define REDIS_H

// For names of errors. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>
#include <stdbool.h>

SPIN_CONFIG((spin_string, server, "redis://127.0.0.1:6379",
             "The server, as `redis://HOST[:PORT]`, or `unix:/PATH` for a local socket."),
            (spin_string, user, "", "The name of the user; empty: the server's default user."),
            (spin_secret, password, {}, "The password of the user."),
            (int32_t, database, 0, 0, 1000000, "The number of the database."),
            (spin_duration, connect_timeout, "10s", "10ms", "1h",
             "How long the server may take to accept a connection."),
            (spin_duration, answer_timeout, "30s", "10ms", "24h", "How long the server may take to answer."),
            (spin_duration, keep_alive, "1m", "1s", "24h",
             "How long a connection may be silent before the plugin asks the server for an answer."),
            (spin_duration, reconnect_least, "1s", "10ms", "1h", "How long the plugin waits before it connects again."),
            (spin_duration, reconnect_most, "1m", "10ms", "24h", "How long it waits at most, after several failures."),
            (spin_duration, claim_after, "0s", "0s", "8760h",
             "After how long `read` takes entries of other consumers that do not acknowledge them; 0 is never."),
            (int32_t, most_in_work, 100, 1, 10000, "The most entries of a call of `read` that wait for their "
                                                   "acknowledgement."),
            (int64_t, largest_answer, 16777216, 1024, 1073741824,
             "The most bytes of an answer; each value counts as 64 bytes and its own."),
            (int64_t, largest_command, 16777216, 1024, 536870912, "The most bytes of a command."),
            (int32_t, most_waiting, 1000, 1, 100000, "The most commands that have no answer yet."));

/* A value of an answer, in each form that it has. */
SPIN_RECORD(redis_value, (spin_string, type), (spin_string, text), (int64_t, integer), (spin_bytes, bytes),
            (int32_t, depth));
/* A field of an entry. */
SPIN_RECORD(redis_field, (spin_string, name), (spin_string, text), (spin_bytes, bytes));

/* The codes of failures, besides those of the ABI. */
enum { REDIS_TOO_MANY = -2, REDIS_REFUSED = -128, REDIS_NO_CONNECTION = -129, REDIS_UNSURE = -130 };

enum { most_reason = 256 };

#endif
