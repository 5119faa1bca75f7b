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

static spin_status add_copy(struct once *once, const char *text, size_t size) {
    if (size == 0 || size >= SPIN_RUN_KEY_SIZE || once->count == most_runs)
        return SPIN_BAD_VALUE;
    for (size_t i = 0; i < size; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return SPIN_BAD_VALUE;
    char *key = strndup(text, size);
    if (!key)
        return SPIN_NO_MEMORY;
    once_add(once, key);
    return SPIN_OK;
}

spin_status once_restore(struct once *once, const spin_saved *saved) {
    const char *text = (const char *)saved->data;
    if (saved->schema == 1)
        return saved->data_size > 0 ? add_copy(once, text, saved->data_size) : SPIN_OK;
    spin_status status = saved->schema == 2 ? SPIN_OK : SPIN_BAD_VALUE;
    for (size_t left = saved->data_size; left > 0 && status == SPIN_OK;) {
        const char *end = memchr(text, '\n', left);
        if (!end)
            return SPIN_BAD_VALUE;
        status = add_copy(once, text, (size_t)(end - text));
        left -= (size_t)(end - text) + 1;
        text = end + 1;
    }
    return status;
}

void once_free(struct once *once) {
    for (size_t i = 0; i < most_runs; i++)
        free(once->keys[i]);
}
