#include "row.h"
#include "../../std/utf8.h"
#include <stdlib.h>
#include <string.h>

/* Where a reader is in the bytes. */
struct cursor {
    const char *next, *end;
    int is_whole;
};

static enum row_found damage(struct row *row, const char *reason) {
    row->damage = reason;
    return ROW_DAMAGED;
}

// The size of the line end there: 0 if something else is there, and -1 if more must come to tell.
static int line_end(const struct cursor *cursor) {
    if (cursor->next == cursor->end)
        return cursor->is_whole ? 0 : -1;
    if (*cursor->next == '\n')
        return 1;
    if (*cursor->next != '\r')
        return 0;
    if (cursor->next + 1 == cursor->end)
        return cursor->is_whole ? 0 : -1;
    return cursor->next[1] == '\n' ? 2 : 0;
}

static enum row_found add(struct row *row, const char *text, size_t size) {
    if (row->count == most_fields)
        return damage(row, "it has more than 4096 fields");
    row->fields[row->count++] = (spin_string){text, size};
    return ROW_FOUND;
}

// A field without quotes, up to a comma or the end of the row.
static enum row_found read_plain(struct row *row, struct cursor *cursor) {
    const char *first = cursor->next;
    for (; cursor->next < cursor->end && *cursor->next != ',' && *cursor->next != '\n'; cursor->next++) {
        if (*cursor->next == '"')
            return damage(row, "a field without quotes has a quote");
        if (*cursor->next == '\r' && line_end(cursor) != 0)
            break;
    }
    return add(row, first, (size_t)(cursor->next - first));
}

// A field in quotes. Only if it has doubled quotes, it is copied.
static enum row_found read_quoted(struct row *row, struct cursor *cursor) {
    const char *first = ++cursor->next;
    size_t copied = row->plain_size;
    for (;;) {
        const char *quote = memchr(cursor->next, '"', (size_t)(cursor->end - cursor->next));
        if (!quote)
            return cursor->is_whole ? damage(row, "a quote is not closed") : ROW_MORE;
        if (quote + 1 == cursor->end && !cursor->is_whole)
            return ROW_MORE;
        int is_doubled = quote + 1 < cursor->end && quote[1] == '"';
        if (is_doubled || row->plain_size > copied) {
            size_t size = (size_t)(quote - cursor->next) + (is_doubled ? 1 : 0);
            memcpy(row->plain + row->plain_size, cursor->next, size);
            row->plain_size += size;
        }
        cursor->next = quote + (is_doubled ? 2 : 1);
        if (!is_doubled)
            return row->plain_size > copied ? add(row, row->plain + copied, row->plain_size - copied)
                                            : add(row, first, (size_t)(quote - first));
    }
}

static enum row_found read_fields(struct row *row, struct cursor *cursor) {
    for (;;) {
        int is_quoted = cursor->next < cursor->end && *cursor->next == '"';
        enum row_found found = is_quoted ? read_quoted(row, cursor) : read_plain(row, cursor);
        if (found != ROW_FOUND)
            return found;
        int end = line_end(cursor);
        if (end < 0)
            return ROW_MORE;
        if (end > 0 || cursor->next == cursor->end) {
            cursor->next += end;
            return ROW_FOUND;
        }
        if (*cursor->next != ',')
            return damage(row, "a text follows a closing quote");
        cursor->next++;
    }
}

static int64_t count_lines(const char *bytes, size_t size) {
    int64_t lines = 0;
    for (const char *end; (end = memchr(bytes, '\n', size)); lines++) {
        size -= (size_t)(end + 1 - bytes);
        bytes = end + 1;
    }
    return lines;
}

static int reserve(struct row *row, size_t size) {
    if (!row->fields && !(row->fields = malloc(most_fields * sizeof *row->fields)))
        return 0;
    if (row->plain_capacity >= size)
        return 1;
    char *grown = realloc(row->plain, size);
    if (!grown)
        return 0;
    row->plain = grown;
    row->plain_capacity = size;
    return 1;
}

enum row_found row_read(struct row *row, const char *bytes, size_t size, int is_whole) {
    if (size > longest_row) {
        size = longest_row;
        is_whole = 0;
    }
    struct cursor cursor = {bytes, bytes + size, is_whole};
    row->count = row->plain_size = 0;
    if (!reserve(row, size))
        return ROW_NO_MEMORY;
    int end = line_end(&cursor);
    if (end != 0 || size == 0) {
        row->size = end > 0 ? (size_t)end : 0;
        row->lines = end > 0;
        return end > 0 ? ROW_EMPTY : ROW_MORE;
    }
    enum row_found found = read_fields(row, &cursor);
    row->size = (size_t)(cursor.next - bytes);
    if (found == ROW_MORE && size == longest_row)
        found = damage(row, "it is longer than 1 MiB");
    if (found == ROW_DAMAGED) {
        const char *first = memchr(bytes, '\n', size);
        if (!first && !is_whole && size < longest_row)
            return ROW_MORE;
        row->size = first ? (size_t)(first + 1 - bytes) : size;
    }
    if (found == ROW_FOUND && utf8_valid(bytes, row->size) < row->size)
        found = damage(row, "it is not UTF-8");
    row->lines = count_lines(bytes, row->size);
    return found;
}

void row_free(struct row *row) {
    free(row->fields);
    free(row->plain);
}
