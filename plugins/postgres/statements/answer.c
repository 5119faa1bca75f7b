#include "answer.h"
#include "value.h"
#include <stdlib.h>

static int no_memory(struct problem *problem) { return problem_set(problem, SPIN_NO_MEMORY, "no memory"); }

static struct table_limits limits_of(const spin_config *config) {
    return (struct table_limits){config->most_rows, config->largest_answer, POSTGRES_TOO_LARGE};
}

int answer_begin(struct answer *answer, const PGresult *result, struct problem *problem) {
    struct table *table = &answer->table;
    if (table->columns)
        return 1;
    if (!table_begin(table, (size_t)PQnfields(result)))
        return no_memory(problem);
    for (size_t i = 0; i < table->column_count; i++)
        if (!table_name(table, i, PQfname(result, (int)i)))
            return no_memory(problem);
    return 1;
}

static int take(struct table *table, const struct table_limits *limits, const PGresult *result, int column,
                postgres_value *value, struct problem *problem) {
    *value = value_null();
    if (!PQgetisnull(result, 0, column)) {
        size_t size = (size_t)PQgetlength(result, 0, column);
        // Before it is copied. Bytes come as a text of twice the size.
        if (!table_has_room(table, limits, size / 2, problem))
            return 0;
        if (!value_read(&table->texts, PQftype(result, column), PQgetvalue(result, 0, column), size, value))
            return no_memory(problem);
    }
    return table_count(table, limits, sizeof *value + value->text.size + value->blob.size, problem);
}

int answer_add(struct answer *answer, const spin_config *config, const PGresult *result,
               struct problem *problem) {
    struct table *table = &answer->table;
    const struct table_limits most = limits_of(config);
    if (!table_may_grow(table, &most, problem) || !answer_begin(answer, result, problem))
        return 0;
    // A server that changes the columns amid its rows is not one.
    if ((size_t)PQnfields(result) != table->column_count)
        return problem_set(problem, POSTGRES_UNKNOWN, "the server has sent rows that do not fit together");
    postgres_value *values = table_grow(table, answer->values, sizeof *values);
    if (!values)
        return no_memory(problem);
    answer->values = values;
    values += table->row_count * table->column_count;
    for (size_t i = 0; i < table->column_count; i++)
        if (!take(table, &most, result, (int)i, &values[i], problem))
            return 0;
    table->row_count++;
    return 1;
}

int answer_end(struct answer *answer, struct problem *problem) {
    const struct table *table = &answer->table;
    answer->rows = calloc(table->row_count + 1, sizeof *answer->rows);
    if (!answer->rows)
        return no_memory(problem);
    for (size_t i = 0; i < table->row_count; i++)
        answer->rows[i].values =
            (spin_list_postgres_value){answer->values + i * table->column_count, table->column_count};
    return 1;
}

void answer_free(struct answer *answer) {
    table_free(&answer->table);
    free(answer->values);
    free(answer->rows);
    *answer = (struct answer){0};
}
