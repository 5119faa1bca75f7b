#include "refusal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The text of a refusal may be in any language. The names of the server's functions stay the same.
static int is_from(const PGresult *result, const char *state, const char *function) {
    const char *found = PQresultErrorField(result, PG_DIAG_SQLSTATE),
               *source = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
    return found && source && strcmp(found, state) == 0 && strcmp(source, function) == 0;
}

// The number in the text that is another one than `given`; -1 without one.
static long other_number(const char *text, int given) {
    while (*(text += strcspn(text, "0123456789"))) {
        char *end;
        long number = strtol(text, &end, 10);
        if (number != given)
            return number;
        text = end;
    }
    return -1;
}

int refusal_explain(const struct statement *statement, const PGresult *result, char *reason, size_t size) {
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    int given = statement->count;
    if (is_from(result, "42601", "exec_parse_message"))
        return snprintf(reason, size,
                        "42601 there are several statements; `transaction` takes a list of them");
    long wanted =
        message && is_from(result, "08P01", "exec_bind_message") ? other_number(message, given) : -1;
    if (wanted < 0)
        return 0;
    return snprintf(reason, size, "08P01 the statement has %ld parameter%s, and %d value%s given", wanted,
                    wanted == 1 ? "" : "s", given, given == 1 ? " is" : "s are");
}
