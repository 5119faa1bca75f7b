#include "framing.h"
#include <string.h>

struct framing framing_of_lines(void) {
    return (struct framing){.kind = FRAMING_LINES, .end = {'\n'}, .end_size = 1};
}

static int hex_digit(char character) {
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'A' && character <= 'F')
        return character - 'A' + 10;
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

static int parse_end(const char *text, size_t size, struct framing *framing) {
    if (size == 0 || size % 2 != 0 || size / 2 > longest_delimiter)
        return 0;
    for (size_t i = 0; i < size; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            return 0;
        framing->end[i / 2] = (uint8_t)(high << 4 | low);
    }
    framing->end_size = size / 2;
    return 1;
}

// The number at the start of a text, from 1 to 1,000,000,000, and what follows it; 0 without one.
static int64_t parse_number(const char *text, size_t size, spin_string *rest) {
    int64_t number = 0;
    size_t used = 0;
    for (; used < size && text[used] >= '0' && text[used] <= '9'; used++)
        if ((number = number * 10 + (text[used] - '0')) > 1000000000)
            return 0;
    *rest = (spin_string){text + used, size - used};
    return number;
}

static int is_text(spin_string text, const char *expected) {
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static int parse_pause(const char *text, size_t size, struct framing *framing) {
    static const struct {
        const char *unit;
        int64_t nanoseconds;
    } units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    const int64_t shortest = 100000, longest = 60000000000;
    spin_string unit = {"", 0};
    int64_t number = parse_number(text, size, &unit);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (is_text(unit, units[i].unit))
            framing->pause = number * units[i].nanoseconds;
    return framing->pause >= shortest && framing->pause <= longest;
}

static int begins(spin_string text, const char *start, const char **rest, size_t *size) {
    size_t length = strlen(start);
    if (text.size < length || memcmp(text.data, start, length) != 0)
        return 0;
    *rest = text.data + length;
    *size = text.size - length;
    return 1;
}

const char *framing_parse(spin_string text, struct framing *framing) {
    const char *rest;
    size_t size;
    spin_string behind = {"", 0};
    if (is_text(text, "slip")) {
        *framing = (struct framing){.kind = FRAMING_SLIP, .end = {0xC0}, .end_size = 1};
    } else if (is_text(text, "cobs")) {
        *framing = (struct framing){.kind = FRAMING_COBS, .end = {0}, .end_size = 1};
    } else if (begins(text, "delimiter:", &rest, &size)) {
        *framing = (struct framing){.kind = FRAMING_DELIMITER};
        if (!parse_end(rest, size, framing))
            return "a delimiter is 1 to 16 bytes as hexadecimal digits, such as `delimiter:0D0A`";
    } else if (begins(text, "length:", &rest, &size)) {
        *framing = (struct framing){.kind = FRAMING_LENGTH};
        framing->length = (size_t)parse_number(rest, size, &behind);
        if (framing->length == 0 || behind.size > 0)
            return "a length is a number of bytes, such as `length:16`";
    } else if (begins(text, "idle:", &rest, &size)) {
        *framing = (struct framing){.kind = FRAMING_IDLE};
        if (!parse_pause(rest, size, framing))
            return "a pause is 100us to 60s, such as `idle:5ms`";
    } else {
        return "the framing is not `slip`, `cobs`, `delimiter:HEX`, `length:N` or `idle:TIME`";
    }
    return NULL;
}

// Finds the bytes that end a frame. A part of them may be all that has come.
static int find_end(const struct framing *framing, struct pieces *bytes, size_t *size) {
    const char *from = bytes->data + bytes->searched;
    const char *end = memmem(from, bytes->end - bytes->searched, framing->end, framing->end_size);
    if (end) {
        *size = (size_t)(end - bytes->data) - bytes->start;
        return 1;
    }
    size_t part = framing->end_size - 1;
    if (bytes->end - bytes->searched > part)
        bytes->searched = bytes->end - part;
    return 0;
}

int framing_find(const struct framing *framing, struct pieces *bytes, int is_over, size_t *size,
                 size_t *taken) {
    size_t held = pieces_size(bytes);
    int is_found;
    if (held == 0)
        return 0;
    switch (framing->kind) {
    case FRAMING_LENGTH:
        *size = framing->length;
        is_found = held >= *size;
        break;
    case FRAMING_IDLE:
        *size = held;
        is_found = is_over;
        break;
    default:
        is_found = find_end(framing, bytes, size);
    }
    *taken = is_found ? *size + framing->end_size : 0;
    return is_found;
}
