// Reads lines from a descriptor.
#ifndef STD_LINE_READER_H
#define STD_LINE_READER_H

#include "pieces.h"
#include "std.h"
#include <sys/types.h>

/* The longest line in bytes, without its end. */
#define LINE_LIMIT ((size_t)1 << 20)

/* The bytes that were read and not yet returned as lines. A zeroed reader is empty. */
struct line_reader {
    struct pieces pieces;
    /* The start of the line that was returned last. */
    size_t last;
    /* The number of lines returned so far. */
    int64_t count;
};

enum line_found { LINE_NONE, LINE_FOUND, LINE_TOO_LONG, LINE_NO_MEMORY };

/* Reads once. Returns as read(2) does, with errno ENOMEM for want of memory. The caller must take all lines
 * before it reads again. */
ssize_t line_reader_fill(struct line_reader *reader, int descriptor);

/* The next whole line, without `\n` or `\r\n`. U+FFFD replaces bytes that are not UTF-8. `*line` belongs to
 * the reader and is valid until the next call. */
enum line_found line_reader_next(struct line_reader *reader, spin_string *line);

/* The rest, when nothing more will come: a last line without its end. */
enum line_found line_reader_rest(struct line_reader *reader, spin_string *line);

/* Makes the line that was returned last the next one again, at most once, before another read. */
void line_reader_back(struct line_reader *reader);

/* Drops the bytes that were read. */
void line_reader_clear(struct line_reader *reader);

/* Frees the reader's memory. The reader is empty then. */
void line_reader_free(struct line_reader *reader);

#endif
