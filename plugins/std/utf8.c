#include "utf8.h"
#include <string.h>

/* The number of bytes of the character at the start. Negative: that number of bytes begins a character and
 * does not end it (Unicode, table 3-7). */
static int character(const uint8_t *text, size_t size) {
    uint8_t first = text[0];
    if (first < 0x80)
        return 1;
    int length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (!length)
        return -1;
    // Only the second byte's range depends on the first.
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (int i = 1; i < length; i++) {
        if ((size_t)i == size || text[i] < low || text[i] > high)
            return -i;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

size_t utf8_valid(const char *text, size_t size) {
    const uint8_t *bytes = (const uint8_t *)text;
    size_t i = 0;
    while (i < size) {
        // Most text is ASCII.
        uint64_t word;
        while (size - i >= sizeof word) {
            memcpy(&word, bytes + i, sizeof word);
            if (word & 0x8080808080808080)
                break;
            i += sizeof word;
        }
        if (i == size)
            break;
        int length = character(bytes + i, size - i);
        if (length < 0)
            return i;
        i += (size_t)length;
    }
    return i;
}

uint32_t utf8_next(const char **text) {
    const uint8_t *bytes = (const uint8_t *)*text;
    size_t size = 0;
    while (size < 4 && bytes[size] != 0)
        size++;
    int length = character(bytes, size);
    *text += length > 0 ? length : 1;
    if (length < 0)
        return 0x110000u + bytes[0];
    static const uint8_t masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t value = bytes[0] & masks[length];
    for (int i = 1; i < length; i++)
        value = value << 6 | (bytes[i] & 0x3f);
    return value;
}

size_t utf8_repair(const char *text, size_t size, char *target) {
    size_t used = 0, i = 0;
    while (i < size) {
        size_t valid = utf8_valid(text + i, size - i);
        memcpy(target + used, text + i, valid);
        used += valid;
        i += valid;
        if (i == size)
            break;
        memcpy(target + used, "\xef\xbf\xbd", 3);
        used += 3;
        i += (size_t)-character((const uint8_t *)text + i, size - i);
    }
    return used;
}
