// The answer of a database to a statement, up to the values, whose type is up to the plugin.
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include "problem.h"
#include "texts.h"

/* How large an answer may be, and the code of the failure if it is larger. */
struct table_limits {
    int32_t most_rows;
    int64_t largest_answer;
    int too_large;
};

/* Zeroed memory has no columns. */
struct table {
    struct texts texts; /* those of the names and of the values */
    spin_string *columns;
    size_t column_count, row_count, capacity;
    int64_t size; /* as `largest_answer` counts */
};

/* Makes room for the names of so many columns; 0 for want of memory. */
int table_begin(struct table *table, size_t column_count);

/* Keeps the name of a column; 0 for want of memory. */
int table_name(struct table *table, size_t column, const char *name);

/* Whether the answer may have one row more, or so many bytes. */
int table_may_grow(const struct table *table, const struct table_limits *limits, struct problem *problem);
int table_has_room(const struct table *table, const struct table_limits *limits, size_t size,
                   struct problem *problem);

/* Counts so many bytes; 0 if there is no room for them. */
int table_count(struct table *table, const struct table_limits *limits, size_t size, struct problem *problem);

/* Returns the values of all rows, one row after the other, with room for another row. NULL for want of memory: the
 * values stay where they are. */
void *table_grow(struct table *table, void *values, size_t value_size);

/* Frees what it holds, so that it has no columns. */
void table_free(struct table *table);

#endif
