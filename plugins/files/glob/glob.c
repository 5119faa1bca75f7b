// Finds the paths that match a pattern. It does not use glob(3), which cannot keep to a folder.
#include "../instance.h"
#include "../job.h"
#include "../names.h"
#include "pattern.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(paths, (spin_list_string, paths));

/* A folder that the search has still to look into, and the places in the pattern there. */
struct folder {
    struct folder *next;
    uint64_t places;
    char path[];
};

struct search {
    struct job *job;
    struct pattern pattern;
    struct problem *problem;
    struct names found;
    struct folder *folders;
    size_t folder_count; /* of all so far */
    char path[PATH_MAX]; /* what it looks at */
};

static int64_t most_paths(const struct search *search) { return search->job->self->config->most_paths; }

static int add(struct search *search) {
    if (search->found.count == (size_t)most_paths(search))
        return problem_set(search->problem, E2BIG, "more paths match than the setting `most_paths` allows");
    return names_add(&search->found, search->path) || problem_set(search->problem, ENOMEM, NULL);
}

static int add_folder(struct search *search, uint64_t reached) {
    if (search->folder_count++ == (size_t)most_paths(search))
        return problem_set(search->problem, E2BIG,
                           "it leads into more folders than the setting `most_paths` allows");
    size_t size = strlen(search->path) + 1;
    struct folder *folder = malloc(sizeof *folder + size);
    if (!folder)
        return problem_set(search->problem, ENOMEM, NULL);
    folder->next = search->folders;
    folder->places = pattern_enter(&search->pattern, reached);
    memcpy(folder->path, search->path, size);
    search->folders = folder;
    return 1;
}

// Sets the path to a name in a folder.
static int join(struct search *search, const char *folder, const char *name) {
    size_t size = strlen(folder), name_size = strlen(name), slash = size > 0 && folder[size - 1] != '/';
    if (size + slash + name_size >= sizeof search->path)
        return problem_set(search->problem, ENAMETOOLONG, NULL);
    memcpy(search->path, folder, size);
    search->path[size] = '/';
    memcpy(search->path + size + slash, name, name_size + 1);
    return 1;
}

// Whether it is a link that leads out of the root, or around in a circle.
static int leads_nowhere(const struct problem *problem) {
    return problem->error == EXDEV || problem->error == ELOOP;
}

// What is at the path: 1, or 0 if nothing is there; -1 with a problem.
static int look(struct search *search, int follows, struct stat *status) {
    int is_there = place_look(&search->job->self->place, search->path, follows, status, search->problem);
    return is_there < 0 && leads_nowhere(search->problem) ? 0 : is_there;
}

// Looks at a name in a folder, if it matches.
static int visit(struct search *search, const struct folder *folder, const char *name) {
    struct stat status;
    uint64_t kept, reached = pattern_follow(&search->pattern, folder->places, name, &kept);
    uint64_t end = pattern_end(&search->pattern);
    if (!(reached | kept))
        return 1;
    // A folder can have very many names, on a slow drive.
    if (job_is_over(search->job, search->problem))
        return 0;
    int is_there = join(search, folder->path, name) ? look(search, 0, &status) : -1;
    if (is_there <= 0)
        return is_there == 0;
    if (reached & end && !add(search))
        return 0;
    reached &= ~end;
    if (S_ISLNK(status.st_mode)) {
        kept = 0; // Links could lead around in a circle.
        is_there = reached ? look(search, 1, &status) : 0;
        if (is_there <= 0)
            return is_there == 0;
    }
    return !S_ISDIR(status.st_mode) || !(reached | kept) || add_folder(search, reached | kept);
}

// Looks at all names that an open folder has, one after the other: it can have more than the memory has room for.
static int visit_all(struct search *search, const struct folder *folder, struct listing *listing) {
    for (const char *name; (name = listing_next(listing));)
        if (!visit(search, folder, name))
            return 0;
    return errno == 0 || problem_of_errno(search->problem);
}

static int list(struct search *search, const struct folder *folder) {
    struct listing listing;
    struct problem *problem = search->problem;
    const char *path = *folder->path ? folder->path : ".";
    int opened = place_open(&search->job->self->place, path, O_RDONLY | O_DIRECTORY, 0, problem);
    if (opened < 0)
        return problem->error == ENOENT || problem->error == ENOTDIR || leads_nowhere(problem);
    if (!listing_begin(&listing, opened, problem))
        return 0;
    int is_done = visit_all(search, folder, &listing);
    if (listing.has_left_out)
        names_warn(search->job->call, path);
    listing_end(&listing);
    return is_done;
}

// A folder need not be read if only one name can match there.
static int look_into(struct search *search, const struct folder *folder) {
    if (job_is_over(search->job, search->problem))
        return 0;
    const char *name = pattern_only_name(&search->pattern, folder->places);
    return name ? visit(search, folder, name) : list(search, folder);
}

static int run(struct search *search) {
    struct stat status;
    if (!join(search, "", search->pattern.start))
        return 0;
    if (search->pattern.count == 0) {
        int is_there = look(search, 0, &status);
        return is_there == 0 || (is_there > 0 && add(search));
    }
    int is_done = add_folder(search, 1);
    for (struct folder *folder; is_done && (folder = search->folders);) {
        search->folders = folder->next;
        is_done = look_into(search, folder);
        free(folder);
    }
    return is_done;
}

static int emit(struct search *search) {
    struct names *found = &search->found;
    spin_string *texts = calloc(found->count + 1, sizeof *texts);
    if (!texts)
        return problem_set(search->problem, ENOMEM, NULL);
    size_t size = 0;
    names_sort(found);
    for (size_t i = 0; i < found->count; i++) {
        texts[i] = (spin_string){found->names[i], strlen(found->names[i])};
        size += texts[i].size;
    }
    spin_list_string all = {texts, found->count};
    job_finish(search->job, spin_wait_paths(search->job->call, all, SPIN_FOREVER), size);
    free(texts);
    return 1;
}

int answer_with_paths(struct job *job, struct problem *problem) {
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return problem_set(problem, ENOMEM, NULL);
    search->job = job;
    search->problem = problem;
    int is_done = pattern_read(&search->pattern, job->path, problem) && run(search) && emit(search);
    for (struct folder *folder; (folder = search->folders);) {
        search->folders = folder->next;
        free(folder);
    }
    pattern_free(&search->pattern);
    names_free(&search->found);
    free(search);
    return is_done;
}
