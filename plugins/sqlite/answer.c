#include "answer.h"
#include "../std/utf8.h"
#include <stdlib.h>

static int no_memory(struct problem *problem) { return problem_set(problem, SQLITE_NOMEM, "no memory"); }

// Counts a value that is kept.
static int count(struct answer *answer, const sqlite_value *value, struct problem *problem) {
    return table_count(&answer->table, &answer->limits, 64 + value->text.size + value->blob.size, problem);
}

void answer_init(struct answer *answer, const spin_config *config) {
    *answer = (struct answer){.limits = {config->most_rows, config->largest_answer, SQLITE_TOOBIG}};
}

int answer_begin(struct answer *answer, sqlite3_stmt *statement, struct problem *problem) {
    struct table *table = &answer->table;
    if (!table_begin(table, (size_t)sqlite3_column_count(statement)))
        return no_memory(problem);
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = sqlite3_column_name(statement, (int)i);
        if (!name || !table_name(table, i, name))
            return no_memory(problem);
    }
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
    if (!table_has_room(&answer->table, &answer->limits, size, problem))
        return 0;
    struct texts *texts = &answer->table.texts;
    int is_text = type != SQLITE_BLOB;
    // A text of a database may have any bytes; an emission must be UTF-8.
    if (is_text && !texts_keep_repaired(texts, data ? data : "", size, &value->text))
        return no_memory(problem);
    if (!is_text || utf8_valid(data ? data : "", size) != size) {
        if (!texts_keep(texts, data, size, (const char **)&value->blob.data))
            return no_memory(problem);
        value->blob.size = size;
    }
    return count(answer, value, problem);
}

int answer_add(struct answer *answer, sqlite3_stmt *statement, struct problem *problem) {
    struct table *table = &answer->table;
    if (!table_may_grow(table, &answer->limits, problem))
        return 0;
    sqlite_value *values = table_grow(table, answer->values, sizeof *values);
    if (!values)
        return no_memory(problem);
    answer->values = values;
    values += table->row_count * table->column_count;
    for (size_t i = 0; i < table->column_count; i++)
        if (!take(answer, statement, (int)i, &values[i], problem))
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
            (spin_list_sqlite_value){answer->values + i * table->column_count, table->column_count};
    return 1;
}

void answer_free(struct answer *answer) {
    table_free(&answer->table);
    free(answer->values);
    free(answer->rows);
}
