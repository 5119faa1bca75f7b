#include "statement.h"
#include "words.h"
#include <stdio.h>
#include <string.h>

/* The most values of a statement, the most bytes of one, for which libpq has an int, and the most characters of a
 * number. */
enum { most_values = 65535, largest_value = 1 << 30, longest_number = 32 };

/* The type of bytes among the server's own types, whose numbers never change. */
enum { type_of_bytes = 17 };

static int has_nul(const char *data, size_t size) { return size > 0 && memchr(data, 0, size) != NULL; }

static int value_is_valid(const postgres_parameter *value, size_t number, struct problem *problem) {
    if (value->text.has + value->integer.has + value->real.has + value->boolean.has + value->blob.has > 1)
        return problem_set(problem, SPIN_BAD_VALUE,
                           "value %zu has more than one of `text`, `integer`, `real`, `boolean` and `blob`",
                           number);
    if ((value->text.has && value->text.value.size > largest_value) ||
        (value->blob.has && value->blob.value.size > largest_value))
        return problem_set(problem, SPIN_BAD_VALUE, "value %zu has more than 1 GiB", number);
    if (value->text.has && has_nul(value->text.value.data, value->text.value.size))
        return problem_set(problem, SPIN_BAD_VALUE,
                           "value %zu is a text with a NUL character, which PostgreSQL cannot store", number);
    return 1;
}

static int statement_is_valid(const postgres_statement *statement, bool is_amid, struct problem *problem) {
    if (has_nul(statement->sql.data, statement->sql.size))
        return problem_set(problem, SPIN_BAD_VALUE, "the statement has a NUL character");
    if (statement->parameters.count > most_values)
        return problem_set(problem, SPIN_BAD_VALUE, "the statement has more than %d values", most_values);
    const char *why = words_refusal(statement->sql.data, is_amid);
    if (why)
        return problem_set(problem, SPIN_BAD_VALUE, "%s", why);
    for (size_t i = 0; i < statement->parameters.count; i++)
        if (!value_is_valid(&statement->parameters.items[i], i + 1, problem))
            return 0;
    return 1;
}

int statements_are_valid(spin_list_postgres_statement statements, bool is_amid, struct problem *problem) {
    for (size_t i = 0; i < statements.count; i++) {
        if (statement_is_valid(&statements.items[i], is_amid, problem))
            continue;
        struct problem inner = *problem;
        return is_amid ? problem_set(problem, inner.code, "statement %zu: %s", i + 1, inner.text) : 0;
    }
    return 1;
}

// The bytes of a value, without its places in the arrays.
static size_t value_size(const postgres_parameter *value) {
    return value->text.has                                               ? value->text.value.size + 1
           : value->blob.has                                             ? value->blob.value.size
           : value->integer.has || value->real.has || value->boolean.has ? longest_number
                                                                         : 0;
}

/* The places of a value in the arrays. */
enum { places_size = sizeof(char *) + sizeof(Oid) + 2 * sizeof(int) };

size_t statements_size(spin_list_postgres_statement statements) {
    size_t size = statements.count * sizeof(struct statement);
    for (size_t i = 0; i < statements.count; i++) {
        spin_list_postgres_parameter values = statements.items[i].parameters;
        size += statements.items[i].sql.size + 1 + values.count * places_size;
        for (size_t j = 0; j < values.count; j++)
            size += value_size(&values.items[j]);
    }
    return size;
}

/* Memory that is not used yet. */
struct rest {
    char *free;
};

static void *take(struct rest *rest, size_t size) {
    char *taken = rest->free;
    rest->free += size;
    return taken;
}

static const char *copy(struct rest *rest, const void *data, size_t size) {
    char *target = take(rest, size);
    if (size > 0)
        memcpy(target, data, size);
    return target;
}

static const char *copy_text(struct rest *rest, spin_string text) {
    const char *copied = copy(rest, text.data, text.size);
    *(char *)take(rest, 1) = 0;
    return copied;
}

// The server finds the types of values by their places in the statement, as it does for texts in quotes. Only bytes say
// what they are, as they are not text.
static const char *copy_value(struct rest *rest, const postgres_parameter *value) {
    char *number;
    if (value->text.has)
        return copy_text(rest, value->text.value);
    if (value->blob.has)
        return copy(rest, value->blob.value.data, value->blob.value.size);
    if (!value->integer.has && !value->real.has && !value->boolean.has)
        return NULL;
    number = take(rest, longest_number);
    if (value->integer.has)
        snprintf(number, longest_number, "%lld", (long long)value->integer.value);
    else if (value->real.has)
        snprintf(number, longest_number, "%.17g", value->real.value);
    else
        snprintf(number, longest_number, "%s", value->boolean.value ? "true" : "false");
    return number;
}

struct statement *statements_copy(spin_list_postgres_statement statements, void *memory) {
    struct rest rest = {memory};
    struct statement *copies = take(&rest, statements.count * sizeof *copies);
    // First what is aligned, then the bytes.
    for (size_t i = 0; i < statements.count; i++) {
        size_t count = statements.items[i].parameters.count;
        copies[i].count = (int)count;
        copies[i].values = take(&rest, count * sizeof(char *));
        copies[i].types = NULL;
    }
    for (size_t i = 0; i < statements.count; i++) {
        spin_list_postgres_parameter given = statements.items[i].parameters;
        Oid *types = take(&rest, given.count * sizeof *types);
        int *lengths = take(&rest, given.count * sizeof *lengths),
            *formats = take(&rest, given.count * sizeof *formats);
        for (size_t j = 0; j < given.count; j++) {
            const postgres_parameter *value = &given.items[j];
            types[j] = value->blob.has ? type_of_bytes : 0;
            lengths[j] = value->blob.has ? (int)value->blob.value.size : 0;
            formats[j] = value->blob.has;
        }
        copies[i].types = types;
        copies[i].lengths = lengths;
        copies[i].formats = formats;
    }
    for (size_t i = 0; i < statements.count; i++) {
        spin_list_postgres_parameter given = statements.items[i].parameters;
        const char **values = (const char **)(uintptr_t)copies[i].values;
        copies[i].sql = copy_text(&rest, statements.items[i].sql);
        for (size_t j = 0; j < given.count; j++)
            values[j] = copy_value(&rest, &given.items[j]);
    }
    return copies;
}
