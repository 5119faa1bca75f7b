// Text and bytes as C libraries return them, valid and invalid.
#include <errno.h>
#include <spinhost/plugin.h>
#include <stdlib.h>
#include <string.h>

int64_t length(const char *text) { return (int64_t)strlen(text); }
int64_t sum(const uint8_t *bytes, size_t count) {
    int64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += bytes[i];
    return total;
}
int64_t size(spin_string text) { return (int64_t)text.size; }
int64_t size_behind(const spin_string *text) { return (int64_t)text->size; }
double total(const double *numbers, size_t count) {
    double found = 0;
    for (size_t i = 0; i < count; i++)
        found += numbers[i];
    return found;
}

const char *greeting(void) { return "gr\xC3\xBC\xC3\x9F dich"; }
const char *no_text(void) { return NULL; }
const char *invalid_text(void) { return "ab\xFF\xFE"; }
spin_string invalid_string(void) { return (spin_string){"\xC0\x80", 2}; }
spin_string null_string(void) { return (spin_string){NULL, 7}; }
spin_string huge_string(void) { return (spin_string){"x", SIZE_MAX}; }
spin_string some_string(void) { return (spin_string){"abcdef", 3}; }
spin_bytes some_bytes(void) { return (spin_bytes){(const uint8_t *)"\0\xFF", 2}; }

static int64_t freed = 0;
char *copied(const char *text) { return strdup(text); }
void release(void *text) {
    freed++;
    free(text);
}
int64_t releases(void) { return freed; }

int32_t fail_with(int32_t number) {
    errno = number;
    return -1;
}
int32_t found_errno(void) { return errno; }

int64_t write_bytes(uint8_t *buffer, size_t size) {
    for (size_t i = 0; i < size / 2; i++)
        buffer[i] = (uint8_t)i;
    return (int64_t)(size / 2);
}
int64_t claim(uint8_t *buffer, size_t size) {
    memset(buffer, 1, size);
    return (int64_t)size + 1000;
}
int32_t write_text(char *buffer, size_t size) {
    strncpy(buffer, "written by C", size);
    return 0;
}
int32_t write_invalid_text(char *buffer, size_t size) {
    memset(buffer, 0xFF, size);
    return 0;
}
