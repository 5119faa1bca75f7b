#include "line_reader.h"
#include <errno.h>
#include <unistd.h>

enum { piece = 1 << 16 };

ssize_t line_reader_fill(struct line_reader *reader, int descriptor) {
    char *target = pieces_reserve(&reader->pieces, piece);
    if (!target) {
        errno = ENOMEM;
        return -1;
    }
    ssize_t count = read(descriptor, target, piece);
    if (count > 0)
        pieces_extend(&reader->pieces, (size_t)count);
    return count;
}

// What was found after these bytes, of which `end` end the line.
static enum line_found give(struct line_reader *reader, enum piece_found found, size_t last, size_t end) {
    size_t size = reader->pieces.start - last;
    if (found == PIECE_NO_MEMORY)
        return LINE_NO_MEMORY;
    const char *text = reader->pieces.data + last;
    if (size > end && text[size - end - 1] == '\r')
        end++;
    if (size - end > LINE_LIMIT)
        return LINE_TOO_LONG;
    reader->count++;
    reader->last = last;
    return LINE_FOUND;
}

enum line_found line_reader_next(struct line_reader *reader, spin_string *line) {
    size_t last = reader->pieces.start;
    enum piece_found found = pieces_line(&reader->pieces, line);
    if (found != PIECE_NONE)
        return give(reader, found, last, 1);
    // One byte more, as a `\r` may come before the end.
    return pieces_size(&reader->pieces) > LINE_LIMIT + 1 ? LINE_TOO_LONG : LINE_NONE;
}

enum line_found line_reader_rest(struct line_reader *reader, spin_string *line) {
    size_t last = reader->pieces.start;
    enum piece_found found = pieces_rest(&reader->pieces, line);
    return found == PIECE_NONE ? LINE_NONE : give(reader, found, last, 0);
}

void line_reader_back(struct line_reader *reader) {
    reader->pieces.start = reader->pieces.searched = reader->last;
    reader->count--;
}

void line_reader_clear(struct line_reader *reader) { pieces_clear(&reader->pieces); }

void line_reader_free(struct line_reader *reader) {
    pieces_free(&reader->pieces);
    *reader = (struct line_reader){0};
}
