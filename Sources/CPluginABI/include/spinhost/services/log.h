/* spinhost/services/log.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_LOG_H
#define SPINHOST_SERVICES_LOG_H

/* Lines for the host's log, with fields that a program can read. The host adds plugin, version and call. */
#define SPIN_LOG_SERVICE "spin.log/2"

/* A greater level is more serious. Levels in between are allowed. */
#define SPIN_LOG_TRACE (-2)
#define SPIN_LOG_DEBUG (-1)
#define SPIN_LOG_INFO 0
#define SPIN_LOG_WARNING 1
#define SPIN_LOG_ERROR 2

/* What the value of a field is. */
#define SPIN_FIELD_TEXT 0
#define SPIN_FIELD_INTEGER 1
#define SPIN_FIELD_NUMBER 2
#define SPIN_FIELD_FLAG 3

/* The limits of a line. */
#define SPIN_FIELDS_AT_MOST 32
#define SPIN_FIELD_NAME_AT_MOST 64    /* bytes, without the NUL */
#define SPIN_FIELD_TEXT_AT_MOST 65536 /* bytes */

/* The value of a field: the member that `kind` says. */
typedef union spin_field_value {
    spin_string text; /* SPIN_FIELD_TEXT: UTF-8; NULL of size 0 is empty */
    int64_t integer;  /* SPIN_FIELD_INTEGER */
    double number;    /* SPIN_FIELD_NUMBER */
    int64_t flag;     /* SPIN_FIELD_FLAG: 0 is false, anything else is true */
} spin_field_value;

/* One field of a line. It lies in arrays, so it never grows. The functions below make one. */
typedef struct spin_field {
    const char *name;  /* a letter a to z, then such letters, digits and `_`; NUL-terminated */
    uint32_t kind;     /* SPIN_FIELD_… */
    uint32_t reserved; /* 0 */
    spin_field_value value;
} spin_field;

typedef struct spin_log_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Writes one line: `size` bytes of UTF-8 at `text`, then `count` fields in order. `call` may be NULL,
     * `fields` too when `count` is 0. All pointers are borrowed until this returns. The lines of one thread
     * appear in its order.
     *
     * The text log has `name=value` after the text, the JSON log has an object `fields`. Fields say what
     * differs from line to line. The text then stays the same, so that a reader can search for it.
     *
     * Returns SPIN_BAD_VALUE for a text that is not UTF-8 or is longer than 1 GiB. The host writes nothing
     * then. It returns the same when it cannot write some of the fields, but writes the line with the others.
     * It leaves out fields whose name, kind or text is not valid, all fields after the first with the same
     * name, and all after the first SPIN_FIELDS_AT_MOST.
     *
     * A host need not write lines of low levels. The result does not say whether it did.
     * [any] */
    spin_status (*write)(const spin_host *host, spin_call *call, int32_t level, const char *text, size_t size,
                         const spin_field *fields, size_t count);
} spin_log_service;

SPIN_FINDER(log, SPIN_LOG_SERVICE)

/* Writes one NUL-terminated line with fields to the host's log; see spin_log_service. `call` may be NULL.
 * [any] */
SPIN_INLINE spin_status spin_log_fields(spin_call *call, int32_t level, const char *text,
                                        const spin_field *fields, size_t count) {
    const spin_log_service *service = spin_find_log();
    if (!service)
        return SPIN_WITHOUT_SERVICE;
    return text
               ? service->write(spin_current_host(), call, level, text, __builtin_strlen(text), fields, count)
               : SPIN_BAD_VALUE;
}

/* Writes one NUL-terminated line to the host's log; see spin_log_service. `call` may be NULL.
 * [any] */
SPIN_INLINE spin_status spin_log(spin_call *call, int32_t level, const char *text) {
    return spin_log_fields(call, level, text, NULL, 0);
}

/* A field with NUL-terminated text, which must live until the line is written. NULL counts as empty.
 * [any] */
SPIN_INLINE spin_field spin_field_text(const char *name, const char *text) {
    spin_field field = {name, SPIN_FIELD_TEXT, 0, {{text, text ? __builtin_strlen(text) : 0}}};
    return field;
}

/* A field with an integer.
 * [any] */
SPIN_INLINE spin_field spin_field_integer(const char *name, int64_t integer) {
    spin_field field = {name, SPIN_FIELD_INTEGER, 0, {{NULL, 0}}};
    field.value.integer = integer;
    return field;
}

/* A field with a number.
 * [any] */
SPIN_INLINE spin_field spin_field_number(const char *name, double number) {
    spin_field field = {name, SPIN_FIELD_NUMBER, 0, {{NULL, 0}}};
    field.value.number = number;
    return field;
}

/* A field that is true, or false for 0.
 * [any] */
SPIN_INLINE spin_field spin_field_flag(const char *name, int64_t flag) {
    spin_field field = {name, SPIN_FIELD_FLAG, 0, {{NULL, 0}}};
    field.value.flag = flag;
    return field;
}

/* spin_log_with(call, level, text, fields …): writes a line with these fields, 1 to 32:
 *
 *     spin_log_with(call, SPIN_LOG_INFO, "connected", spin_field_text("host", host),
 *                   spin_field_integer("port", port));
 *
 * [any] */
#define spin_log_with(call, level, text, ...)                                                                \
    __extension__({                                                                                          \
        const spin_field spin_fields_here[] = {__VA_ARGS__};                                                 \
        spin_log_fields(call, level, text, spin_fields_here,                                                 \
                        sizeof spin_fields_here / sizeof spin_fields_here[0]);                               \
    })

SPIN_SIZE(spin_field, 32);
SPIN_LAYOUT(spin_field, name, 0);
SPIN_LAYOUT(spin_field, kind, 8);
SPIN_LAYOUT(spin_field, reserved, 12);
SPIN_LAYOUT(spin_field, value, 16);

#endif /* SPINHOST_SERVICES_LOG_H */
