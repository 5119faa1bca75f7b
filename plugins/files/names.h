// What a folder has.
#ifndef FILES_NAMES_H
#define FILES_NAMES_H

#include "place.h"
#include <dirent.h>
#include <stddef.h>

/* How the names of files begin that `write` makes beside others. Nobody hears of them. */
#define OWN_NAMES ".spin-files-"
int name_is_own(const char *name);

/* Goes through the names of a folder, in no order. */
struct listing {
    DIR *folder;
    int has_left_out; /* whether there were names that are not UTF-8 */
};

/* Begins with an open folder, which the end closes. 0 with a problem: then it is closed. */
int listing_begin(struct listing *listing, int folder, struct problem *problem);

/* The next name, until the next call; NULL at the end, or with an errno that is not 0. */
const char *listing_next(struct listing *listing);
void listing_end(struct listing *listing);

struct names {
    char **names; /* sorted by their bytes */
    size_t count, capacity;
    int has_left_out; /* whether there were names that are not UTF-8 */
};

/* Reads the names of an open folder, at most so many, and closes it; 0 with a problem. The caller frees them in either
 * case. */
int names_read(struct names *names, int folder, size_t most, struct problem *problem);

/* Adds a copy of a name; 0 without memory. */
int names_add(struct names *names, const char *name);

void names_sort(struct names *names);
void names_free(struct names *names);

/* Writes to the log that a folder has names that are left out. */
void names_warn(spin_call *call, const char *folder);

#endif
