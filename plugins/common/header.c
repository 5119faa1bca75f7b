#include "header.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int is_in_token(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || (character && strchr("!#$%&'*+-.^_`|~", character));
}

size_t token_size(const char *text, size_t size) {
    size_t found = 0;
    while (found < size && is_in_token(text[found]))
        found++;
    return found;
}

int has_name(const char *header, const char *name) {
    size_t size = strcspn(name, ":;");
    return strncasecmp(header, name, size) == 0 && (header[size] == ':' || header[size] == ';');
}

int header_is_text(spin_string text, char *reason, size_t capacity) {
    size_t size = token_size(text.data, text.size);
    if (size == 0 || size == text.size || text.data[size] != ':') {
        snprintf(reason, capacity, "a header is not written `Name: value`");
        return 0;
    }
    int shown = size < 64 ? (int)size : 64;
    for (size_t i = size; i < text.size; i++) {
        unsigned char character = (unsigned char)text.data[i];
        if ((character < ' ' && character != '\t') || character == 0x7f) {
            snprintf(reason, capacity, "the header `%.*s` has a line break or another control character",
                     shown, text.data);
            return 0;
        }
    }
    return 1;
}

int header_is_valid(spin_string text, char *reason, size_t capacity) {
    if (!header_is_text(text, reason, capacity))
        return 0;
    // The plugin frames the body itself. Another length would let one message look like two.
    static const char *const own[] = {"Content-Length", "Transfer-Encoding"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (has_name(text.data, own[i])) {
            snprintf(reason, capacity, "the plugin sets the header `%s` itself", own[i]);
            return 0;
        }
    return 1;
}
