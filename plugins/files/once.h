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

/* Writes and reads all keys, the oldest first. Schema 1 had the last one only, and this is schema 2. */
spin_status once_save(const struct once *once, spin_saving *saving);
spin_status once_restore(struct once *once, const spin_saved *saved);

void once_free(struct once *once);

#endif
