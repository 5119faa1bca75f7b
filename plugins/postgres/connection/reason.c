#include "reason.h"
#include "../instance.h"
#include "../../std/utf8.h"
#include <stdio.h>
#include <string.h>

/* Where a text is written, of which the end may be cut off. */
struct line {
    char *text;
    size_t size, capacity;
};

static void add(struct line *line, const char *data, size_t size) {
    if (size > line->capacity - line->size)
        size = line->capacity - line->size;
    memcpy(line->text + line->size, data, size);
    line->size += size;
}

/* A shorter password is a part of usual words. The host does not hide it either. */
enum { shortest_password = 4 };

// A server may have been sent the password as it is, and may say it.
static size_t password_size(spin_string password, const char *text) {
    return password.size >= shortest_password && strncmp(text, password.data, password.size) == 0
               ? password.size
               : 0;
}

void reason_copy(const spin_self *self, char reason[most_reason], const char *text) {
    char copied[most_reason / UTF8_REPAIRED_GROWTH - 1] = "";
    struct line line = {copied, 0, sizeof copied};
    while (*text && line.size < line.capacity) {
        size_t hidden = password_size(self->config->password, text);
        if (hidden > 0)
            add(&line, "<secret>", 8);
        else if (*text != '\n' && *text != '\r' && *text != '\t')
            add(&line, text, 1);
        else if (text[1])
            add(&line, " ", 1);
        text += hidden > 0 ? hidden : 1;
    }
    size_t whole = utf8_valid(copied, line.size);
    // A character that is cut off at the end is left out.
    if (line.size == line.capacity && line.size - whole < 4)
        line.size = whole;
    reason[utf8_repair(copied, line.size, reason)] = 0;
}

void reason_of_result(const spin_self *self, char reason[most_reason], const PGresult *result) {
    char text[4 * most_reason];
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    snprintf(text, sizeof text, "%s%s%s", state ? state : "", state ? " " : "",
             message ? message : PQresultErrorMessage(result));
    reason_copy(self, reason, text);
}
