// Each file of the plugin includes this first.
#ifndef SQLITE_H
#define SQLITE_H

#include <spinhost/plugin.h>
#include <stdbool.h>

SPIN_CONFIG((spin_string, file, SPIN_REQUIRED, "The file of the database."),
            (spin_string, mode, "create",
             "`create` makes a file that is missing, `write` wants one, `read` changes nothing."),
            (spin_string, schema, "", "Statements that run when the instance starts, as one transaction."),
            (bool, wal, 1, "Whether readers and a writer do not wait for each other (write-ahead log)."),
            (spin_duration, busy_timeout, "5s", "0s", "1h",
             "How long a statement waits while another connection holds a lock."),
            (spin_duration, poll_interval, "1s", "10ms", "24h",
             "How often `changes` looks for changes of other connections."),
            (int32_t, most_rows, 10000, 1, 10000000, "The most rows of an answer."),
            (int64_t, largest_answer, 16777216, 1, 1073741824,
             "The most bytes of an answer; each value counts as 64 bytes and its text."));

/* A value for a parameter: the field that is set, or NULL without one. */
SPIN_RECORD(sqlite_parameter, (spin_optional_string, text), (spin_optional_int64_t, integer),
            (spin_optional_double, real), (spin_optional_bytes, blob));
SPIN_RECORD(sqlite_statement, (spin_string, sql), (spin_list_sqlite_parameter, parameters));

/* A value of a row, in each form that it has. */
SPIN_RECORD(sqlite_value, (spin_string, type), (spin_string, text), (int64_t, integer), (double, real),
            (spin_bytes, blob));
SPIN_RECORD(sqlite_row, (spin_list_sqlite_value, values));

#endif
