// The columns that a call of `rows` wants, by the names in the header.
#ifndef FILES_COLUMNS_H
#define FILES_COLUMNS_H

#include "row.h"

/* With `count` 0, the file has no header, and all fields are wanted. */
struct columns {
    size_t count, width; /* those that are wanted, and all that the header has */
    spin_string *names;  /* copies, in one piece of memory with their texts */
    size_t *positions;   /* within a row */
    spin_string *fields; /* of one row */
};

/* Copies the names. 0 without memory. */
int columns_init(struct columns *columns, spin_list_string names);
void columns_free(struct columns *columns);

/* Finds the columns in the header, of several with the same name the first one. NULL, or a name that it has not. */
const spin_string *columns_find(struct columns *columns, const struct row *header);

/* Writes the first columns of a header, such as "`a`, `b` and 3 more". */
enum { columns_text_size = 512 };
void columns_write(const struct row *header, char text[columns_text_size]);

/* Whether a row has as many fields as the header. */
int columns_fit(const struct columns *columns, const struct row *row);

/* The wanted fields of a row, until the next call. */
spin_list_string columns_of(const struct columns *columns, const struct row *row);

#endif
