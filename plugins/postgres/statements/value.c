#include "value.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The server's own types, whose numbers never change. */
enum {
    type_bool = 16,
    type_bytea = 17,
    type_int8 = 20,
    type_int2 = 21,
    type_int4 = 23,
    type_oid = 26,
    type_json = 114,
    type_float4 = 700,
    type_float8 = 701,
    type_numeric = 1700,
    type_jsonb = 3802,
};

static const char *word(Oid type) {
    switch (type) {
    case type_bool:
        return "boolean";
    case type_bytea:
        return "blob";
    case type_int8:
    case type_int2:
    case type_int4:
    case type_oid:
        return "integer";
    case type_float4:
    case type_float8:
        return "real";
    case type_numeric:
        return "numeric";
    case type_json:
    case type_jsonb:
        return "json";
    default:
        return "text";
    }
}

static spin_string string(const char *text) { return (spin_string){text, strlen(text)}; }

postgres_value value_null(void) {
    return (postgres_value){.type = string("null"), .text = string(""), .blob = {(const uint8_t *)"", 0}};
}

// Reads a number as a double, and without the digits after its point; 0 if that does not fit. A double would not have
// all digits of a numeric.
static int read_number(Oid type, const char *text, postgres_value *value) {
    char *end;
    int is_double = type == type_float4 || type == type_float8;
    value->real = strtod(text, NULL);
    if (isnan(value->real))
        return 1;
    if (is_double && (value->real >= 0x1p63 || value->real < -0x1p63))
        return 0;
    errno = 0;
    value->integer = is_double ? (int64_t)value->real : strtoll(text, &end, 10);
    return is_double || (errno == 0 && end > text);
}

static int read_bytes(struct texts *texts, const char *text, postgres_value *value) {
    const char *kept = NULL;
    size_t size = 0;
    unsigned char *bytes = PQunescapeBytea((const unsigned char *)text, &size);
    int is_kept = bytes && texts_keep(texts, bytes, size, &kept);
    PQfreemem(bytes);
    value->blob = (spin_bytes){(const uint8_t *)kept, size};
    return is_kept;
}

static enum value_result result_of(int is_kept) { return is_kept ? VALUE_IS_READ : VALUE_HAS_NO_MEMORY; }

enum value_result value_read(struct texts *texts, Oid type, const char *text, size_t size,
                             postgres_value *value) {
    *value = value_null();
    value->type = string(word(type));
    switch (type) {
    case type_bytea:
        return result_of(read_bytes(texts, text, value));
    case type_bool:
        value->boolean = *text == 't';
        value->integer = value->boolean;
        value->real = value->boolean;
        value->text = string(value->boolean ? "true" : "false");
        return VALUE_IS_READ;
    case type_int8:
    case type_int2:
    case type_int4:
    case type_oid:
    case type_float4:
    case type_float8:
    case type_numeric:
        if (!read_number(type, text, value))
            return VALUE_IS_TOO_LARGE;
        break;
    default:
        break;
    }
    return result_of(texts_keep_repaired(texts, text, size, &value->text));
}
