// A place in a file of rows, and whether the file is still the same.
#ifndef FILES_ROW_PLACE_H
#define FILES_ROW_PLACE_H

#include "../files.h"
#include <stddef.h>
#include <sys/stat.h>

/* Behind the last row that a loop has got. */
struct row_place {
    uint64_t device, inode, size, seconds, nanoseconds; /* the file, when it was opened */
    uint64_t offset;
    uint64_t lines, rows;     /* before it */
    uint64_t last_size, hash; /* of the bytes of that row */
    uint64_t has_ended;       /* whether the loop has got all */
};

/* Whether a run has come anywhere. The place at the end of an empty file is its start. */
int row_place_is_set(struct row_place place);

/* Sets which file a place is in. */
void row_place_begin(struct row_place *place, const struct stat *status);

/* Whether a place is in an open file, which is that of `now`, with the same bytes just before it. The file may have
 * grown, and its last row may not. */
int row_place_is_in(const struct row_place *place, int file, const struct row_place *now);

/* Adds bytes to a hash, which begins with 0. */
uint64_t row_hash(uint64_t hash, const char *bytes, size_t size);

#endif
