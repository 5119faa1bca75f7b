#include "line_reader.h"
#include "utf8.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { piece = 1 << 16 };

// Makes room for one more piece after the bytes that are there.
static int make_room(struct line_reader *reader) {
    if (reader->start == reader->end)
        line_reader_clear(reader);
    if (reader->capacity - reader->end >= piece)
        return 1;
    if (reader->start > 0) {
        size_t size = reader->end - reader->start;
        memmove(reader->data, reader->data + reader->start, size);
        reader->searched -= reader->start;
        reader->start = 0;
        reader->end = size;
    }
    if (reader->capacity - reader->end >= piece)
        return 1;
    size_t capacity = reader->capacity ? reader->capacity * 2 : 2 * piece;
    char *data = realloc(reader->data, capacity);
    if (!data)
        return 0;
    reader->data = data;
    reader->capacity = capacity;
    return 1;
}

ssize_t line_reader_fill(struct line_reader *reader, int descriptor) {
    if (!make_room(reader)) {
        errno = ENOMEM;
        return -1;
    }
    ssize_t count = read(descriptor, reader->data + reader->end, piece);
    if (count > 0)
        reader->end += (size_t)count;
    return count;
}

static enum line_found give(struct line_reader *reader, size_t size, spin_string *line) {
    const char *text = reader->data + reader->start;
    if (size > LINE_LIMIT)
        return LINE_TOO_LONG;
    reader->count++;
    reader->last = reader->start;
    if (utf8_valid(text, size) == size) {
        *line = (spin_string){.data = text, .size = size};
        return LINE_FOUND;
    }
    if (reader->repaired_capacity < size * UTF8_REPAIRED_GROWTH) {
        free(reader->repaired);
        reader->repaired_capacity = size * UTF8_REPAIRED_GROWTH;
        reader->repaired = malloc(reader->repaired_capacity);
        if (!reader->repaired) {
            reader->repaired_capacity = 0;
            return LINE_NO_MEMORY;
        }
    }
    *line = (spin_string){.data = reader->repaired, .size = utf8_repair(text, size, reader->repaired)};
    return LINE_FOUND;
}

enum line_found line_reader_next(struct line_reader *reader, spin_string *line) {
    if (reader->searched == reader->end)
        return LINE_NONE;
    const char *from = reader->data + reader->searched;
    const char *found = memchr(from, '\n', reader->end - reader->searched);
    if (!found) {
        reader->searched = reader->end;
        // One byte more, as a `\r` may come before the end.
        return reader->end - reader->start > LINE_LIMIT + 1 ? LINE_TOO_LONG : LINE_NONE;
    }
    size_t next = (size_t)(found - reader->data) + 1;
    size_t size = next - 1 - reader->start;
    if (size > 0 && found[-1] == '\r')
        size--;
    enum line_found result = give(reader, size, line);
    reader->start = reader->searched = next;
    return result;
}

enum line_found line_reader_rest(struct line_reader *reader, spin_string *line) {
    if (reader->start == reader->end)
        return LINE_NONE;
    size_t size = reader->end - reader->start;
    if (reader->data[reader->end - 1] == '\r')
        size--;
    enum line_found result = give(reader, size, line);
    reader->start = reader->searched = reader->end;
    return result;
}

void line_reader_back(struct line_reader *reader) {
    reader->start = reader->searched = reader->last;
    reader->count--;
}

void line_reader_clear(struct line_reader *reader) { reader->start = reader->end = reader->searched = 0; }

void line_reader_free(struct line_reader *reader) {
    free(reader->data);
    free(reader->repaired);
    *reader = (struct line_reader){0};
}
