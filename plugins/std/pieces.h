// Bytes that come in pieces, as a whole or as lines.
#ifndef STD_PIECES_H
#define STD_PIECES_H

#include "std.h"

/* The bytes that have come and were not returned as lines. Zeroed ones are empty. */
struct pieces {
    char *data;
    size_t start, end, capacity;
    /* From `start` up to here there is no line end. */
    size_t searched;
    /* Whether `\r` ends a line, also alone. Otherwise lines end with `\n` or `\r\n`. */
    int has_lone_returns;
    /* Whether the last line ended with a `\r`, so that a `\n` here belongs to it. */
    int skips_newline;
    /* The repaired copy of a line that was not UTF-8. */
    char *repaired;
    size_t repaired_capacity;
};

enum piece_found { PIECE_NONE, PIECE_FOUND, PIECE_NO_MEMORY };

/* Memory for so many more bytes behind those that are there; NULL for want of memory. `pieces_extend` says how many
 * were written there. */
char *pieces_reserve(struct pieces *pieces, size_t size);
void pieces_extend(struct pieces *pieces, size_t size);

/* Appends bytes; 0 for want of memory. */
int pieces_add(struct pieces *pieces, const char *data, size_t size);

/* The number of bytes that were not returned. */
size_t pieces_size(const struct pieces *pieces);

/* The next whole line, without its end. U+FFFD replaces bytes that are not UTF-8. `*line` belongs to the pieces,
 * and is valid until the next call. */
enum piece_found pieces_line(struct pieces *pieces, spin_string *line);

/* The rest, when nothing more will come: a last line without its end. */
enum piece_found pieces_rest(struct pieces *pieces, spin_string *line);

/* Drops all bytes. */
void pieces_clear(struct pieces *pieces);

/* Frees the memory. The pieces are empty then, and zeroed. */
void pieces_free(struct pieces *pieces);

#endif
