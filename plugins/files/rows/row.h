// A row of comma-separated values, as RFC 4180 describes it, in bytes that come in pieces.
#ifndef FILES_ROW_H
#define FILES_ROW_H

#include "../files.h"
#include <stddef.h>

/* The longest row in bytes, with its end, and the most fields of a row. */
enum { longest_row = 1 << 20, most_fields = 4096 };

/* What was found last. A zeroed one is empty. */
struct row {
    spin_string *fields; /* they belong to the row and to the bytes that it was read from */
    size_t count;
    size_t size;        /* of its bytes, with the end; if that cannot be told, of those of its first line */
    int64_t lines;      /* how many line ends these bytes have */
    const char *damage; /* why it is not a row */
    char *plain;        /* fields without their doubled quotes */
    size_t plain_size, plain_capacity;
};

/* ROW_MORE: the bytes do not end the row. */
enum row_found { ROW_MORE, ROW_EMPTY, ROW_FOUND, ROW_DAMAGED, ROW_NO_MEMORY };

/* Reads a row from the start of bytes; `is_whole`: nothing more will come. A line without a byte is empty, and not a
 * row. Damage that is found in the first `longest_row` bytes ends the search. */
enum row_found row_read(struct row *row, const char *bytes, size_t size, int is_whole);

void row_free(struct row *row);

#endif
