#include "wildcard.h"
#include "../../std/utf8.h"
#include <stddef.h>
#include <stdint.h>

// The next character of a part, without its backslash.
static uint32_t plain(const char **part) {
    *part += (*part)[0] == '\\' && (*part)[1];
    return utf8_next(part);
}

// Looks for a character in a set, behind its bracket. The end of the set; NULL if nothing closes it.
static const char *search(const char *set, uint32_t character, int *is_in) {
    int is_negated = *set == '!' || *set == '^';
    set += is_negated;
    *is_in = is_negated;
    for (const char *first = set; *set && (*set != ']' || set == first);) {
        uint32_t low = plain(&set), high = low;
        if (set[0] == '-' && set[1] && set[1] != ']') {
            set++;
            high = plain(&set);
        }
        if (low <= character && character <= high)
            *is_in = !is_negated;
    }
    return *set ? set + 1 : NULL;
}

// Takes one character of a name if the part, which does not begin with a star, takes it.
static int take(const char **part, const char **name) {
    const char *next = *name, *behind = *part + 1;
    uint32_t character = utf8_next(&next);
    int is_in = **part == '?';
    const char *end = **part == '[' ? search(behind, character, &is_in) : NULL;
    if (end)
        behind = end;
    else if (!is_in || **part == '[') {
        behind = *part;
        is_in = *behind && plain(&behind) == character;
    }
    if (!is_in)
        return 0;
    *part = behind;
    *name = next;
    return 1;
}

int wildcard_matches(const char *part, const char *name) {
    if (*name == '.' && *part != '.' && !(part[0] == '\\' && part[1] == '.'))
        return 0;
    // Where the last star is, and what of the name it has left. An earlier one need not take more.
    const char *star = NULL, *left = NULL;
    while (*name) {
        if (*part == '*') {
            star = ++part;
            left = name;
        } else if (!take(&part, &name)) {
            if (!star)
                return 0;
            utf8_next(&left);
            part = star;
            name = left;
        }
    }
    while (*part == '*')
        part++;
    return !*part;
}
