#include "once.h"
#include <stdlib.h>
#include <string.h>

int once_knows(const struct once *once, const char *key) {
    for (size_t i = 0; i < most_runs && once->keys[i]; i++)
        if (strcmp(once->keys[i], key) == 0)
            return 1;
    return 0;
}

void once_add(struct once *once, char *key) {
    char **place = &once->keys[once->count++ % most_runs];
    free(*place);
    *place = key;
}

spin_status once_save(const struct once *once, spin_saving *saving) {
    size_t first = once->count > most_runs ? once->count - most_runs : 0;
    spin_status status = SPIN_OK;
    for (size_t i = first; i < once->count && status == SPIN_OK; i++) {
        const char *key = once->keys[i % most_runs];
        status = spin_write(saving, key, strlen(key));
        if (status == SPIN_OK)
            status = spin_write(saving, "\n", 1);
    }
    return status;
}

int run_key_is_valid(const char *text, size_t size) {
    if (size == 0 || size >= SPIN_RUN_KEY_SIZE)
        return 0;
    for (size_t i = 0; i < size; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return 0;
    return 1;
}

spin_status once_restore(struct once *once, const char *line, size_t size) {
    if (!run_key_is_valid(line, size) || once->count == most_runs)
        return SPIN_BAD_VALUE;
    char *key = strndup(line, size);
    if (!key)
        return SPIN_NO_MEMORY;
    once_add(once, key);
    return SPIN_OK;
}

void once_free(struct once *once) {
    for (size_t i = 0; i < most_runs; i++)
        free(once->keys[i]);
}
