// The runs whose calls have changed files last, so that a call that the host makes again changes nothing twice.
#ifndef FILES_ONCE_H
#define FILES_ONCE_H

#include "files.h"
#include <stddef.h>

enum { most_runs = 64 };

/* A zeroed one knows no run. */
struct once {
    char *keys[most_runs]; /* of the runs, in a ring */
    size_t count;          /* of all so far */
};

int once_knows(const struct once *once, const char *key);

/* Adds the key of a run, which it owns then, in place of the oldest one. */
void once_add(struct once *once, char *key);

/* Writes each key as a line, the oldest first. Reads such a line, without its end. */
spin_status once_save(const struct once *once, spin_saving *saving);
spin_status once_restore(struct once *once, const char *line, size_t size);

/* Whether a text can be the key of a run. */
int run_key_is_valid(const char *text, size_t size);

void once_free(struct once *once);

#endif
