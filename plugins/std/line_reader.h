// Lines out of bytes that come in pieces.
#ifndef STD_LINE_READER_H
#define STD_LINE_READER_H

#include "std.h"
#include <sys/types.h>

/* The longest line in bytes, without its end. */
#define LINE_LIMIT ((size_t)1 << 20)

/* Bytes that were read and not yet given as lines; zero is an empty one. */
struct line_reader {
    char *data;
    size_t capacity;
    size_t start, end;
    /* From `start` up to here there is no line end. */
    size_t searched;
    /* A line whose bytes were no UTF-8. */
    char *repaired;
    size_t repaired_capacity;
    /* Lines given so far. */
    int64_t count;
};

enum line_found { LINE_NONE, LINE_FOUND, LINE_TOO_LONG, LINE_NO_MEMORY };

/* Reads once; answers as read(2), with errno ENOMEM for a want of memory. Ask for lines until there is none before
 * reading again. */
ssize_t line_reader_fill(struct line_reader *reader, int descriptor);

/* The next whole line, without `\n` or `\r\n`; what is no UTF-8 in it is replaced by U+FFFD. `*line` is the
 * reader's until the next call. */
enum line_found line_reader_next(struct line_reader *reader, spin_string *line);

/* What is left when nothing more will come: a last line without its end. */
enum line_found line_reader_rest(struct line_reader *reader, spin_string *line);

/* Forgets what was read. */
void line_reader_clear(struct line_reader *reader);

/* Frees what the reader holds, which is an empty one then. */
void line_reader_free(struct line_reader *reader);

#endif
