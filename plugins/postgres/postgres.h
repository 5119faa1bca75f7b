// Each file of the plugin includes this first.
#ifndef POSTGRES_H
#define POSTGRES_H

// For getaddrinfo_a. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <spinhost/plugin.h>
#include <stdbool.h>

SPIN_CONFIG((spin_string, server, SPIN_REQUIRED,
             "The server, as `postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full`, or `host=… dbname=…`."),
            (spin_secret, password, {}, "The password of the user."),
            (int32_t, most_connections, 1, 1, 100,
             "The most connections for statements; with one, statements run in the order of their calls."),
            (spin_duration, connect_timeout, "10s", "10ms", "1h",
             "How long an address may take to connect, and the server to answer `listen`."),
            (spin_duration, statement_timeout, "30s", "1ms", "24h", "How long a statement may take."),
            (spin_duration, keep_alive, "1m", "1s", "9h",
             "How long a connection may be silent before the plugin asks whether the server is there."),
            (spin_duration, reconnect_least, "1s", "10ms", "1h",
             "How long `listen` waits before it connects again."),
            (spin_duration, reconnect_most, "1m", "10ms", "24h", "How long it waits after many failures."),
            (int32_t, most_waiting, 1000, 1, 100000, "The most calls that wait for a connection."),
            (int32_t, most_rows, 10000, 1, 10000000, "The most rows of an answer."),
            (int64_t, largest_answer, 16777216, 1, 1073741824,
             "The most bytes of an answer; each value counts as 72 bytes, its text and its blob."));

/* A value for a parameter: the field that is set, or NULL without one. */
SPIN_RECORD(postgres_parameter, (spin_optional_string, text), (spin_optional_int64_t, integer),
            (spin_optional_double, real), (spin_optional_bool, boolean), (spin_optional_bytes, blob));
SPIN_RECORD(postgres_statement, (spin_string, sql), (spin_list_postgres_parameter, parameters));

/* A value of a row, in each form that it has. */
SPIN_RECORD(postgres_value, (spin_string, type), (spin_string, text), (int64_t, integer), (double, real),
            (bool, boolean), (spin_bytes, blob));
SPIN_RECORD(postgres_row, (spin_list_postgres_value, values));

/* The codes of failures, besides those of the ABI. */
enum {
    POSTGRES_TOO_MANY = -2,        /* too many calls wait */
    POSTGRES_REFUSED = -128,       /* the server refuses the statement */
    POSTGRES_NOT_CONNECTED = -129, /* nothing has happened, as there is no connection */
    POSTGRES_UNKNOWN = -130,       /* it may have happened, or not */
    POSTGRES_TOO_LARGE = -131,     /* the answer is too large */
};

#endif
