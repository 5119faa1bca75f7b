// For memmem. It must come before any header.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "framing.h"
#include <string.h>

struct framing framing_of_lines(void) {
    return (struct framing){.kind = FRAMING_LINES, .end = {'\n'}, .end_size = 1};
}

static int is_text(spin_string text, const char *expected) {
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static int hex_digit(char character) {
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'A' && character <= 'F')
        return character - 'A' + 10;
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

static int parse_prefix(spin_string text, struct framing *framing) {
    static const struct {
        const char *name;
        size_t size;
        int is_little;
    } types[] = {{"u8", 1, 0}, {"u16", 2, 0}, {"u32", 4, 0}, {"u16le", 2, 1}, {"u32le", 4, 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is_text(text, types[i].name)) {
            framing->prefix_size = types[i].size;
            framing->is_little = types[i].is_little;
            return 1;
        }
    return 0;
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

// Reads what follows the word of a framing; NULL, or why it is not valid.
static const char *parse_rest(spin_string rest, struct framing *framing) {
    spin_string behind = {"", 0};
    switch (framing->kind) {
    case FRAMING_DELIMITER:
        return parse_end(rest.data, rest.size, framing)
                   ? NULL
                   : "a delimiter is 1 to 16 bytes as hexadecimal digits, such as `delimiter:0D0A`";
    case FRAMING_LENGTH:
        framing->length = (size_t)parse_number(rest.data, rest.size, &behind);
        return framing->length > 0 && behind.size == 0 ? NULL
                                                       : "a length is a number of bytes, such as `length:16`";
    case FRAMING_IDLE:
        return parse_pause(rest.data, rest.size, framing) ? NULL
                                                          : "a pause is 100us to 60s, such as `idle:5ms`";
    default:
        return parse_prefix(rest, framing)
                   ? NULL
                   : "a prefix is `u8`, `u16`, `u32`, `u16le` or `u32le`, such as `prefix:u16`";
    }
}

const char *framing_parse(spin_string text, const struct framing_words *words, struct framing *framing) {
    static const struct {
        const char *word;
        struct framing framing;
    } plain[] = {{"lines", {.kind = FRAMING_LINES, .end = {'\n'}, .end_size = 1}},
                 {"slip", {.kind = FRAMING_SLIP, .end = {0xC0}, .end_size = 1}},
                 {"cobs", {.kind = FRAMING_COBS, .end = {0}, .end_size = 1}},
                 {"raw", {.kind = FRAMING_RAW}}};
    static const struct {
        const char *word;
        enum framing_kind kind;
    } others[] = {{"delimiter:", FRAMING_DELIMITER},
                  {"length:", FRAMING_LENGTH},
                  {"idle:", FRAMING_IDLE},
                  {"prefix:", FRAMING_PREFIX}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (words->kinds & FRAMING_BIT(plain[i].framing.kind) && is_text(text, plain[i].word)) {
            *framing = plain[i].framing;
            return NULL;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t size = strlen(others[i].word);
        if (words->kinds & FRAMING_BIT(others[i].kind) && text.size >= size &&
            memcmp(text.data, others[i].word, size) == 0) {
            *framing = (struct framing){.kind = others[i].kind};
            return parse_rest((spin_string){text.data + size, text.size - size}, framing);
        }
    }
    return words->unknown;
}

int framing_is_same(const struct framing *one, const struct framing *other) {
    return one->kind == other->kind && one->end_size == other->end_size &&
           memcmp(one->end, other->end, one->end_size) == 0 && one->length == other->length &&
           one->pause == other->pause && one->prefix_size == other->prefix_size &&
           one->is_little == other->is_little;
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

// The number before a frame, which is there whole.
static size_t read_prefix(const struct framing *framing, const struct pieces *bytes) {
    const uint8_t *at = (const uint8_t *)bytes->data + bytes->start;
    size_t number = 0, size = framing->prefix_size;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | at[framing->is_little ? size - 1 - i : i];
    return number;
}

int framing_find(const struct framing *framing, struct pieces *bytes, size_t longest, int is_over,
                 struct frame *frame) {
    size_t held = pieces_size(bytes);
    int is_found = 0;
    *frame = (struct frame){0, 0, 0};
    if (held == 0)
        return 0;
    switch (framing->kind) {
    case FRAMING_LENGTH:
        frame->size = framing->length;
        is_found = held >= frame->size;
        break;
    case FRAMING_RAW:
        frame->size = held < framing->length ? held : framing->length;
        is_found = 1;
        break;
    case FRAMING_IDLE:
        frame->size = held;
        is_found = is_over;
        break;
    case FRAMING_PREFIX:
        if (held < framing->prefix_size)
            break;
        frame->begin = framing->prefix_size;
        frame->size = read_prefix(framing, bytes);
        is_found = frame->size > longest || held - frame->begin >= frame->size;
        break;
    default:
        is_found = find_end(framing, bytes, &frame->size);
    }
    frame->taken = frame->begin + frame->size + framing->end_size;
    return is_found;
}
