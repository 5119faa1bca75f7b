#include "names.h"
#include "../std/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int name_is_own(const char *name) { return strncmp(name, OWN_NAMES, strlen(OWN_NAMES)) == 0; }

int names_add(struct names *names, const char *name) {
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 16;
        char **grown = realloc(names->names, capacity * sizeof *grown);
        if (!grown)
            return 0;
        names->names = grown;
        names->capacity = capacity;
    }
    return (names->names[names->count] = strdup(name)) && ++names->count;
}

static int compare(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void names_sort(struct names *names) {
    if (names->count > 0)
        qsort(names->names, names->count, sizeof *names->names, compare);
}

int listing_begin(struct listing *listing, int folder, struct problem *problem) {
    *listing = (struct listing){fdopendir(folder), 0};
    if (listing->folder)
        return 1;
    close(folder);
    return problem_set(problem, ENOMEM, NULL);
}

const char *listing_next(struct listing *listing) {
    for (const struct dirent *entry; (errno = 0, entry = readdir(listing->folder));) {
        const char *name = entry->d_name;
        size_t size = strlen(name);
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || name_is_own(name))
            continue;
        if (utf8_valid(name, size) == size)
            return name;
        listing->has_left_out = 1;
    }
    return NULL;
}

void listing_end(struct listing *listing) { closedir(listing->folder); }

static int add_all(struct names *names, struct listing *listing, size_t most, struct problem *problem) {
    for (const char *name; (name = listing_next(listing));) {
        if (names->count == most)
            return problem_set(problem, E2BIG, "there are more than the setting `most_paths` allows");
        if (!names_add(names, name))
            return problem_set(problem, ENOMEM, NULL);
    }
    return errno == 0 || problem_of_errno(problem);
}

int names_read(struct names *names, int folder, size_t most, struct problem *problem) {
    struct listing listing;
    *names = (struct names){0};
    if (!listing_begin(&listing, folder, problem))
        return 0;
    int is_done = add_all(names, &listing, most, problem);
    names->has_left_out = listing.has_left_out;
    listing_end(&listing);
    names_sort(names);
    return is_done;
}

void names_free(struct names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct names){0};
}

void names_warn(spin_call *call, const char *folder) {
    spin_log_with(call, SPIN_LOG_WARNING, "names that are not UTF-8 are left out",
                  spin_field_text("folder", folder));
}
