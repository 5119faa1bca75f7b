#include "value.h"
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

// Without the digits after its point. A number that is too large becomes the greatest or the least integer.
static int64_t whole(double real) {
    if (isnan(real))
        return 0;
    return real >= 0x1p63 ? INT64_MAX : real < -0x1p63 ? INT64_MIN : (int64_t)real;
}

static void read_number(Oid type, const char *text, postgres_value *value) {
    char *end;
    value->real = strtod(text, NULL);
    // A double would not have all digits of the other types. A numeric may be infinite or not a number.
    value->integer = strtoll(text, &end, 10);
    if (type == type_float4 || type == type_float8 || end == text)
        value->integer = whole(value->real);
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

int value_read(struct texts *texts, Oid type, const char *text, size_t size, postgres_value *value) {
    *value = value_null();
    value->type = string(word(type));
    switch (type) {
    case type_bytea:
        return read_bytes(texts, text, value);
    case type_bool:
        value->boolean = *text == 't';
        value->integer = value->boolean;
        value->real = value->boolean;
        value->text = string(value->boolean ? "true" : "false");
        return 1;
    case type_int8:
    case type_int2:
    case type_int4:
    case type_oid:
    case type_float4:
    case type_float8:
    case type_numeric:
        read_number(type, text, value);
        break;
    default:
        break;
    }
    return texts_keep_repaired(texts, text, size, &value->text);
}
