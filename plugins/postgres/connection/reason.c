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

static int is_break(char character) { return character == '\n' || character == '\r' || character == '\t'; }

void reason_copy(const spin_self *self, char reason[most_reason], const char *text) {
    char copied[most_reason / UTF8_REPAIRED_GROWTH - 1] = "";
    struct line line = {copied, 0, sizeof copied};
    int is_broken = 0; // Several breaks become one space, also with spaces between and after them.
    while (*text && line.size < line.capacity) {
        size_t hidden = password_size(self->config->password, text);
        if (hidden == 0 && (is_break(*text) || (is_broken && *text == ' '))) {
            is_broken = line.size > 0;
            text++;
            continue;
        }
        add(&line, " ", is_broken);
        is_broken = 0;
        add(&line, hidden > 0 ? "<secret>" : text, hidden > 0 ? 8 : 1);
        text += hidden > 0 ? hidden : 1;
    }
    size_t whole = utf8_valid(copied, line.size);
    // A character that is cut off at the end is left out.
    if (line.size == line.capacity && line.size - whole < 4)
        line.size = whole;
    reason[utf8_repair(copied, line.size, reason)] = 0;
}

void reason_of_link(char reason[most_reason], const PGconn *link) {
    static const char place[] = "connection to server ", failed[] = " failed: ";
    const char *text = link ? PQerrorMessage(link) : "no memory", *question = strstr(text, "\n\t");
    const char *end = question ? question : text + strlen(text);
    const char *rest = strncmp(text, place, sizeof place - 1) == 0 ? strstr(text, failed) : NULL;
    if (rest && rest < end)
        text = rest + sizeof failed - 1;
    snprintf(reason, most_reason, "cannot connect: %.*s", (int)(end - text < 1000 ? end - text : 1000), text);
}

void reason_of_result(const spin_self *self, char reason[most_reason], const PGresult *result) {
    char text[4 * most_reason];
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    snprintf(text, sizeof text, "%s%s%s", state ? state : "", state ? " " : "",
             message ? message : PQresultErrorMessage(result));
    reason_copy(self, reason, text);
}
