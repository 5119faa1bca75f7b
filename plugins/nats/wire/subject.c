#include "subject.h"
#include <string.h>

// Whether a server would take the text for one word. A line break would begin a command of its own.
static int is_word(spin_string text) {
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] <= ' ' || text.data[i] == 0x7f)
            return 0;
    return 1;
}

static int is_wildcard(const char *part, size_t size) { return size == 1 && (*part == '*' || *part == '>'); }

static const char *fault(spin_string subject, int is_pattern) {
    if (subject.size == 0)
        return "the subject is empty";
    if (subject.size > longest_subject)
        return "the subject has more than 1024 bytes";
    if (!is_word(subject))
        return "the subject has a space, a line break or another control character";
    for (size_t begin = 0, end; begin <= subject.size; begin = end + 1) {
        const char *part = subject.data + begin, *dot = memchr(part, '.', subject.size - begin);
        end = dot ? (size_t)(dot - subject.data) : subject.size;
        if (end == begin)
            return "a part of the subject is empty";
        if (is_wildcard(part, end - begin) && !is_pattern)
            return "the subject of a message has no `*` and no `>` as a part";
        if (*part == '>' && end - begin == 1 && end < subject.size)
            return "`>` must be the last part of the subject";
    }
    return NULL;
}

const char *subject_fault(spin_string subject) { return fault(subject, 0); }

const char *pattern_fault(spin_string subject) { return fault(subject, 1); }

int is_subject_part(spin_string name) {
    return name.size > 0 && name.size <= 255 && is_word(name) && !memchr(name.data, '.', name.size) &&
           !memchr(name.data, '*', name.size) && !memchr(name.data, '>', name.size);
}

int is_same(spin_string one, spin_string other) {
    return one.size == other.size && (one.size == 0 || memcmp(one.data, other.data, one.size) == 0);
}

uint64_t subject_number(spin_string subject) {
    uint64_t number = 0, place = 1;
    size_t size = subject.size;
    for (; size > 0 && subject.data[size - 1] != '.'; place *= 10) {
        unsigned digit = (unsigned)subject.data[--size] - '0';
        if (digit > 9 || place > 1000000000000000000)
            return 0;
        number += digit * place;
    }
    return number;
}
