// Reads the rows of an open file one after the other.
#ifndef FILES_READER_H
#define FILES_READER_H

#include "../place.h"
#include "../../std/pieces.h"
#include "columns.h"
#include "progress.h"
#include "row.h"

struct reader {
    int file; /* -1 before it is open */
    int is_at_end;
    int skips; /* whether what comes up to the next line end belongs to a damaged row */
    struct pieces bytes;
    struct row row;         /* which was found last */
    struct row_place place; /* before that */
    struct columns columns;
    char *reason; /* of a problem that names a column; or NULL */
};

/* Opens a file, and reads its header if there are columns. 0 with a problem, as for the others. */
int reader_open(struct reader *reader, const struct place *place, const char *path, struct problem *problem);

/* Continues at a place. ESTALE: the file is another one. */
int reader_resume(struct reader *reader, const struct row_place *place, struct problem *problem);

/* Reads one piece more. */
int reader_fill(struct reader *reader, struct problem *problem);

/* Finds the next row in what was read. */
enum row_found reader_next(struct reader *reader);

/* Leaves the row behind that was found. */
void reader_leave(struct reader *reader);

void reader_free(struct reader *reader);

#endif
