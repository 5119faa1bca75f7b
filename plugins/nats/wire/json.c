#include "json.h"
#include "../../std/utf8.h"
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *next, *end;
};

static void skip_space(struct reader *reader) {
    while (reader->next < reader->end && strchr(" \t\r\n", *reader->next) && *reader->next)
        reader->next++;
}

static int take(struct reader *reader, char character) {
    skip_space(reader);
    if (reader->next >= reader->end || *reader->next != character)
        return 0;
    reader->next++;
    return 1;
}

// Takes a text with its quotes; without data if there is another value.
static spin_string take_text(struct reader *reader) {
    skip_space(reader);
    const char *begin = reader->next, *next = begin;
    if (next >= reader->end || *next != '"')
        return (spin_string){NULL, 0};
    for (next++; next < reader->end && *next != '"'; next++)
        next += *next == '\\';
    if (next >= reader->end)
        return (spin_string){NULL, 0};
    reader->next = next + 1;
    return (spin_string){begin, (size_t)(reader->next - begin)};
}

// Takes any value. Objects and lists are not looked into: only their brackets and texts count.
static spin_string take_value(struct reader *reader) {
    skip_space(reader);
    const char *begin = reader->next;
    size_t depth = 0;
    while (reader->next < reader->end) {
        char character = *reader->next;
        if (character == '"') {
            if (!take_text(reader).data)
                return (spin_string){NULL, 0};
        } else if (depth == 0 && (character == ',' || character == '}' || character == ']')) {
            break;
        } else {
            depth += character == '{' || character == '[';
            depth -= character == '}' || character == ']';
            reader->next++;
        }
    }
    const char *end = reader->next;
    while (end > begin && strchr(" \t\r\n", end[-1]))
        end--;
    return depth == 0 && end > begin ? (spin_string){begin, (size_t)(end - begin)} : (spin_string){NULL, 0};
}

spin_string json_member(spin_string object, const char *name) {
    struct reader reader = {object.data, object.data + object.size};
    size_t size = strlen(name);
    if (!object.data || !take(&reader, '{'))
        return (spin_string){NULL, 0};
    do {
        spin_string key = take_text(&reader);
        if (!key.data || !take(&reader, ':'))
            break;
        spin_string value = take_value(&reader);
        if (!value.data)
            break;
        if (key.size == size + 2 && memcmp(key.data + 1, name, size) == 0)
            return value;
    } while (take(&reader, ','));
    return (spin_string){NULL, 0};
}

int64_t json_integer(spin_string value, int64_t otherwise) {
    char digits[24];
    if (!value.data || value.size == 0 || value.size >= sizeof digits)
        return otherwise;
    memcpy(digits, value.data, value.size);
    digits[value.size] = 0;
    size_t sign = *digits == '-';
    if (!digits[sign] || digits[sign + strspn(digits + sign, "0123456789")])
        return otherwise;
    return strtoll(digits, NULL, 10);
}

int json_is_true(spin_string value) { return value.size == 4 && memcmp(value.data, "true", 4) == 0; }

// The four digits of an escape; -1 if they are not there.
static int32_t hexadecimal(const char *text, const char *end) {
    char digits[5] = "";
    if (end - text < 4)
        return -1;
    memcpy(digits, text, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (int32_t)strtol(digits, NULL, 16) : -1;
}

static size_t encode(int32_t point, char *text) {
    static const uint8_t heads[] = {0, 0xc0, 0xe0, 0xf0};
    size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, point >>= 6)
        text[i] = (char)(0x80 | (point & 0x3f));
    text[0] = (char)(heads[size - 1] | point);
    return size;
}

// Takes a whole character of UTF-8, or a byte that begins none; its size as UTF-8.
static size_t take_plain(struct reader *reader, char *text) {
    unsigned char first = (unsigned char)*reader->next;
    size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (size > (size_t)(reader->end - reader->next) || utf8_valid(reader->next, size) != size) {
        reader->next++;
        return encode(0xfffd, text);
    }
    memcpy(text, reader->next, size);
    reader->next += size;
    return size;
}

// Takes a character, which may be an escape; the size of its UTF-8.
static size_t take_character(struct reader *reader, char *text) {
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (*reader->next != '\\' || reader->end - reader->next < 2)
        return take_plain(reader, text);
    char escape = *++reader->next;
    const char *place = escape ? strchr(escapes, escape) : NULL;
    if (!place && escape != 'u')
        return take_plain(reader, text);
    reader->next++;
    if (place) {
        *text = meanings[place - escapes];
        return 1;
    }
    int32_t point = hexadecimal(reader->next, reader->end);
    reader->next += point >= 0 ? 4 : 0;
    int32_t low = point >= 0xd800 && point < 0xdc00 && reader->end - reader->next >= 6 &&
                          reader->next[0] == '\\' && reader->next[1] == 'u'
                      ? hexadecimal(reader->next + 2, reader->end)
                      : -1;
    if (low >= 0xdc00 && low < 0xe000) {
        reader->next += 6;
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    }
    return encode(point < 0 || (point >= 0xd800 && point < 0xe000) ? 0xfffd : point, text);
}

size_t json_text(spin_string value, char *text, size_t capacity) {
    size_t size = 0;
    if (value.data && value.size >= 2 && *value.data == '"') {
        struct reader reader = {value.data + 1, value.data + value.size - 1};
        while (reader.next < reader.end && size + 4 < capacity)
            size += take_character(&reader, text + size);
    }
    text[size] = 0;
    return size;
}
