#include "table.h"
#include <stdlib.h>
#include <string.h>

int table_begin(struct table *table, size_t column_count) {
    table->column_count = column_count;
    table->columns = calloc(column_count + 1, sizeof *table->columns);
    return table->columns != NULL;
}

int table_name(struct table *table, size_t column, const char *name) {
    return texts_keep_repaired(&table->texts, name, strlen(name), &table->columns[column]);
}

int table_may_grow(const struct table *table, const struct table_limits *limits, struct problem *problem) {
    return table->row_count < (size_t)limits->most_rows ||
           problem_set(problem, limits->too_large, "the answer has more than %d rows (setting `most_rows`)",
                       limits->most_rows);
}

int table_has_room(const struct table *table, const struct table_limits *limits, size_t size,
                   struct problem *problem) {
    return table->size + (int64_t)size <= limits->largest_answer ||
           problem_set(problem, limits->too_large,
                       "the answer is larger than %lld bytes (setting `largest_answer`)",
                       (long long)limits->largest_answer);
}

int table_count(struct table *table, const struct table_limits *limits, size_t size,
                struct problem *problem) {
    if (!table_has_room(table, limits, size, problem))
        return 0;
    table->size += (int64_t)size;
    return 1;
}

void *table_grow(struct table *table, void *values, size_t value_size) {
    if (table->row_count < table->capacity)
        return values;
    size_t capacity = table->capacity ? table->capacity * 2 : 16;
    // A row may have no columns.
    void *grown = realloc(values, (capacity * table->column_count + 1) * value_size);
    if (grown)
        table->capacity = capacity;
    return grown;
}

void table_free(struct table *table) {
    texts_free(&table->texts);
    free(table->columns);
    *table = (struct table){0};
}
