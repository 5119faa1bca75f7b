#include "pieces.h"
#include "utf8.h"
#include <stdlib.h>
#include <string.h>

char *pieces_reserve(struct pieces *pieces, size_t size) {
    size_t kept = pieces_size(pieces);
    if (kept == 0)
        pieces->start = pieces->end = pieces->searched = 0;
    if (pieces->capacity - pieces->end >= size)
        return pieces->data + pieces->end;
    if (pieces->start > 0) {
        memmove(pieces->data, pieces->data + pieces->start, kept);
        pieces->searched -= pieces->start;
        pieces->start = 0;
        pieces->end = kept;
    }
    if (pieces->capacity - kept < size) {
        size_t capacity = pieces->capacity ? pieces->capacity : 4096;
        while (capacity - kept < size)
            capacity *= 2;
        char *grown = realloc(pieces->data, capacity);
        if (!grown)
            return NULL;
        pieces->data = grown;
        pieces->capacity = capacity;
    }
    return pieces->data + kept;
}

void pieces_extend(struct pieces *pieces, size_t size) { pieces->end += size; }

int pieces_add(struct pieces *pieces, const char *data, size_t size) {
    if (size == 0)
        return 1;
    char *target = pieces_reserve(pieces, size);
    if (!target)
        return 0;
    memcpy(target, data, size);
    pieces_extend(pieces, size);
    return 1;
}

size_t pieces_size(const struct pieces *pieces) { return pieces->end - pieces->start; }

static enum piece_found give(struct pieces *pieces, size_t size, spin_string *line) {
    const char *text = pieces->data + pieces->start;
    if (utf8_valid(text, size) == size) {
        *line = (spin_string){text, size};
        return PIECE_FOUND;
    }
    if (pieces->repaired_capacity < size * UTF8_REPAIRED_GROWTH) {
        char *grown = realloc(pieces->repaired, size * UTF8_REPAIRED_GROWTH);
        if (!grown)
            return PIECE_NO_MEMORY;
        pieces->repaired = grown;
        pieces->repaired_capacity = size * UTF8_REPAIRED_GROWTH;
    }
    *line = (spin_string){pieces->repaired, utf8_repair(text, size, pieces->repaired)};
    return PIECE_FOUND;
}

static const char *line_end(const struct pieces *pieces) {
    const char *from = pieces->data + pieces->searched;
    size_t size = pieces->end - pieces->searched;
    const char *newline = memchr(from, '\n', size);
    if (!pieces->has_lone_returns)
        return newline;
    const char *lone = memchr(from, '\r', newline ? (size_t)(newline - from) : size);
    return lone ? lone : newline;
}

enum piece_found pieces_line(struct pieces *pieces, spin_string *line) {
    if (pieces->skips_newline && pieces_size(pieces) > 0) {
        pieces->skips_newline = 0;
        if (pieces->data[pieces->start] == '\n')
            pieces->searched = ++pieces->start;
    }
    if (pieces->searched == pieces->end)
        return PIECE_NONE;
    const char *end = line_end(pieces);
    if (!end) {
        pieces->searched = pieces->end;
        return PIECE_NONE;
    }
    size_t place = (size_t)(end - pieces->data), size = place - pieces->start;
    if (pieces->has_lone_returns)
        pieces->skips_newline = *end == '\r';
    else if (size > 0 && end[-1] == '\r')
        size--;
    enum piece_found found = give(pieces, size, line);
    pieces->start = pieces->searched = place + 1;
    return found;
}

enum piece_found pieces_rest(struct pieces *pieces, spin_string *line) {
    size_t size = pieces_size(pieces);
    if (size == 0)
        return PIECE_NONE;
    if (pieces->data[pieces->end - 1] == '\r')
        size--;
    enum piece_found found = give(pieces, size, line);
    pieces->start = pieces->searched = pieces->end;
    return found;
}

void pieces_clear(struct pieces *pieces) {
    pieces->start = pieces->end = pieces->searched = 0;
    pieces->skips_newline = 0;
}

void pieces_free(struct pieces *pieces) {
    free(pieces->data);
    free(pieces->repaired);
    *pieces = (struct pieces){0};
}
