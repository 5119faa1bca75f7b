#include "answer.h"
#include "value.h"
#include <stdlib.h>
#include <string.h>

static int no_memory(struct problem *problem) { return problem_set(problem, SPIN_NO_MEMORY, "no memory"); }

int answer_begin(struct answer *answer, const PGresult *result, struct problem *problem) {
    if (answer->columns)
        return 1;
    answer->column_count = (size_t)PQnfields(result);
    answer->columns = calloc(answer->column_count + 1, sizeof *answer->columns);
    if (!answer->columns)
        return no_memory(problem);
    for (size_t i = 0; i < answer->column_count; i++) {
        const char *name = PQfname(result, (int)i);
        if (!texts_keep_repaired(&answer->texts, name, strlen(name), &answer->columns[i]))
            return no_memory(problem);
    }
    return 1;
}

static int grow(struct answer *answer) {
    if (answer->row_count < answer->capacity)
        return 1;
    size_t capacity = answer->capacity ? answer->capacity * 2 : 16;
    postgres_value *values = realloc(answer->values, (capacity * answer->column_count + 1) * sizeof *values);
    if (!values)
        return 0;
    answer->values = values;
    answer->capacity = capacity;
    return 1;
}

// Whether the answer may have so many bytes more.
static int has_room(const struct answer *answer, const spin_config *config, size_t size,
                    struct problem *problem) {
    return answer->size + (int64_t)size <= config->largest_answer ||
           problem_set(problem, POSTGRES_TOO_LARGE,
                       "the answer is larger than %lld bytes (setting `largest_answer`)",
                       (long long)config->largest_answer);
}

static int take(struct answer *answer, const spin_config *config, const PGresult *result, int column,
                postgres_value *value, struct problem *problem) {
    *value = value_null();
    if (!PQgetisnull(result, 0, column)) {
        size_t size = (size_t)PQgetlength(result, 0, column);
        // Before it is copied. Bytes come as a text of twice the size.
        if (!has_room(answer, config, size / 2, problem))
            return 0;
        if (!value_read(&answer->texts, PQftype(result, column), PQgetvalue(result, 0, column), size, value))
            return no_memory(problem);
    }
    size_t size = sizeof *value + value->text.size + value->blob.size;
    if (!has_room(answer, config, size, problem))
        return 0;
    answer->size += (int64_t)size;
    return 1;
}

int answer_add(struct answer *answer, const spin_config *config, const PGresult *result,
               struct problem *problem) {
    if (answer->row_count == (size_t)config->most_rows)
        return problem_set(problem, POSTGRES_TOO_LARGE,
                           "the answer has more than %d rows (setting `most_rows`)", config->most_rows);
    if (!answer_begin(answer, result, problem))
        return 0;
    // A server that changes the columns amid its rows is not one.
    if ((size_t)PQnfields(result) != answer->column_count)
        return problem_set(problem, POSTGRES_UNKNOWN, "the server has sent rows that do not fit together");
    if (!grow(answer))
        return no_memory(problem);
    postgres_value *values = answer->values + answer->row_count * answer->column_count;
    for (size_t i = 0; i < answer->column_count; i++)
        if (!take(answer, config, result, (int)i, &values[i], problem))
            return 0;
    answer->row_count++;
    return 1;
}

int answer_end(struct answer *answer, struct problem *problem) {
    answer->rows = calloc(answer->row_count + 1, sizeof *answer->rows);
    if (!answer->rows)
        return no_memory(problem);
    for (size_t i = 0; i < answer->row_count; i++)
        answer->rows[i].values =
            (spin_list_postgres_value){answer->values + i * answer->column_count, answer->column_count};
    return 1;
}

void answer_free(struct answer *answer) {
    texts_free(&answer->texts);
    free(answer->columns);
    free(answer->values);
    free(answer->rows);
    *answer = (struct answer){0};
}
