#include "answer.h"
#include "../std/utf8.h"
#include <stdlib.h>
#include <string.h>

static int no_memory(struct problem *problem) { return problem_set(problem, SQLITE_NOMEM, "no memory"); }

// A text of a database may have any bytes; an emission must be UTF-8.
static int keep_text(struct answer *answer, const char *data, size_t size, spin_string *text) {
    return texts_keep_repaired(&answer->texts, data, size, text);
}

// Whether the answer may have so many bytes more.
static int has_room(struct answer *answer, size_t size, struct problem *problem) {
    return answer->size + (int64_t)size <= answer->config->largest_answer ||
           problem_set(problem, SQLITE_TOOBIG,
                       "the answer is larger than %lld bytes (setting `largest_answer`)",
                       (long long)answer->config->largest_answer);
}

// Counts a value that is kept.
static int count(struct answer *answer, const sqlite_value *value, struct problem *problem) {
    size_t size = 64 + value->text.size + value->blob.size;
    if (!has_room(answer, size, problem))
        return 0;
    answer->size += (int64_t)size;
    return 1;
}

int answer_begin(struct answer *answer, sqlite3_stmt *statement, struct problem *problem) {
    answer->column_count = (size_t)sqlite3_column_count(statement);
    answer->columns = calloc(answer->column_count + 1, sizeof *answer->columns);
    if (!answer->columns)
        return no_memory(problem);
    for (size_t i = 0; i < answer->column_count; i++) {
        const char *name = sqlite3_column_name(statement, (int)i);
        if (!name || !keep_text(answer, name, strlen(name), &answer->columns[i]))
            return no_memory(problem);
    }
    return 1;
}

static int grow(struct answer *answer) {
    if (answer->row_count < answer->capacity)
        return 1;
    size_t capacity = answer->capacity ? answer->capacity * 2 : 16;
    sqlite_value *values = realloc(answer->values, capacity * answer->column_count * sizeof *values);
    if (!values)
        return 0;
    answer->values = values;
    answer->capacity = capacity;
    return 1;
}

static int take(struct answer *answer, sqlite3_stmt *statement, int column, sqlite_value *value,
                struct problem *problem) {
    static const spin_string types[] = {[SQLITE_INTEGER] = {"integer", 7},
                                        [SQLITE_FLOAT] = {"real", 4},
                                        [SQLITE_TEXT] = {"text", 4},
                                        [SQLITE_BLOB] = {"blob", 4},
                                        [SQLITE_NULL] = {"null", 4}};
    // Each function may convert the value, so the type comes first and the text last.
    int type = sqlite3_column_type(statement, column);
    *value = (sqlite_value){.type = types[type], .text = {"", 0}, .blob = {(const uint8_t *)"", 0}};
    if (type != SQLITE_BLOB) {
        value->integer = sqlite3_column_int64(statement, column);
        value->real = sqlite3_column_double(statement, column);
    }
    if (type == SQLITE_NULL)
        return count(answer, value, problem);
    const char *data = type == SQLITE_BLOB ? sqlite3_column_blob(statement, column)
                                           : (const char *)sqlite3_column_text(statement, column);
    size_t size = (size_t)sqlite3_column_bytes(statement, column);
    if (!data && size > 0)
        return no_memory(problem);
    // Before it is copied.
    if (!has_room(answer, size, problem))
        return 0;
    int is_text = type != SQLITE_BLOB;
    if (is_text && !keep_text(answer, data ? data : "", size, &value->text))
        return no_memory(problem);
    if (!is_text || utf8_valid(data ? data : "", size) != size) {
        if (!texts_keep(&answer->texts, data, size, (const char **)&value->blob.data))
            return no_memory(problem);
        value->blob.size = size;
    }
    return count(answer, value, problem);
}

int answer_add(struct answer *answer, sqlite3_stmt *statement, struct problem *problem) {
    if (answer->row_count == (size_t)answer->config->most_rows)
        return problem_set(problem, SQLITE_TOOBIG, "the answer has more than %d rows (setting `most_rows`)",
                           answer->config->most_rows);
    if (!grow(answer))
        return no_memory(problem);
    sqlite_value *values = answer->values + answer->row_count * answer->column_count;
    for (size_t i = 0; i < answer->column_count; i++)
        if (!take(answer, statement, (int)i, &values[i], problem))
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
            (spin_list_sqlite_value){answer->values + i * answer->column_count, answer->column_count};
    return 1;
}

void answer_free(struct answer *answer) {
    texts_free(&answer->texts);
    free(answer->columns);
    free(answer->values);
    free(answer->rows);
}
