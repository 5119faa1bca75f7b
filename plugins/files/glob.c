// Finds the paths that match a pattern. It does not use glob(3), which cannot keep to a folder.
#include "instance.h"
#include "job.h"
#include "names.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

SPIN_EMITTER(paths, (spin_list_string, paths));

struct search {
    struct job *job;
    struct names found;
    struct problem *problem;
    char path[PATH_MAX];
};

static int add(struct search *search) {
    if (search->found.count == (size_t)search->job->self->config->most_paths)
        return problem_set(search->problem, E2BIG, "more paths match than the setting `most_paths` allows");
    return names_add(&search->found, search->path) || problem_set(search->problem, ENOMEM, NULL);
}

// Appends a name to the path, which has `size` bytes; its new size, or 0 with a problem.
static size_t join(struct search *search, size_t size, const char *name, size_t name_size) {
    size_t slash = size > 0 && search->path[size - 1] != '/';
    if (size + slash + name_size >= sizeof search->path)
        return (size_t)problem_set(search->problem, ENAMETOOLONG, NULL);
    if (slash)
        search->path[size++] = '/';
    memcpy(search->path + size, name, name_size);
    search->path[size + name_size] = 0;
    return size + name_size;
}

static int descend(struct search *search, size_t size, const char *pattern);

// A name of the pattern has matched, and the path ends with it. Nothing may be there, as behind a link in a circle.
static int match(struct search *search, size_t size, const char *rest, int follows) {
    struct stat status;
    int is_there = place_look(&search->job->self->place, search->path, follows, &status, search->problem);
    if (is_there < 0 && search->problem->error != EXDEV && search->problem->error != ELOOP)
        return 0;
    if (is_there <= 0)
        return 1;
    return *rest ? !S_ISDIR(status.st_mode) || descend(search, size, rest) : add(search);
}

// Matches each name of the folder that the path leads to. `pattern` is that of the name, and NULL for any folder.
static int list(struct search *search, size_t size, const char *pattern, const char *rest) {
    struct names names = {0};
    const char *path = size > 0 ? search->path : ".";
    if (job_is_over(search->job, search->problem))
        return 0;
    int folder = place_open(&search->job->self->place, path, O_RDONLY | O_DIRECTORY, 0, search->problem);
    int is_done = folder < 0 ? search->problem->error == ENOENT || search->problem->error == ENOTDIR
                             : names_read(&names, folder, SIZE_MAX, search->problem);
    if (names.has_left_out)
        names_warn(search->job->call, path);
    for (size_t i = 0; i < names.count && is_done; i++) {
        const char *name = names.names[i];
        if (fnmatch(pattern ? pattern : "*", name, FNM_PERIOD) != 0)
            continue;
        size_t joined = join(search, size, name, strlen(name));
        // Links could lead around in a circle.
        is_done = joined > 0 && match(search, joined, rest, pattern && *rest);
        search->path[size] = 0;
    }
    names_free(&names);
    return is_done;
}

// Finds what matches the pattern in the folder that the path leads to; its first `size` bytes count.
static int descend(struct search *search, size_t size, const char *pattern) {
    size_t name_size = strcspn(pattern, "/");
    const char *rest = pattern + name_size;
    rest += strspn(rest, "/");
    char name[NAME_MAX + 1];
    if (name_size >= sizeof name)
        return problem_set(search->problem, ENAMETOOLONG, NULL);
    memcpy(name, pattern, name_size);
    name[name_size] = 0;
    if (strcmp(name, "**") == 0) // The folder itself, and each one below it.
        return descend(search, size, *rest ? rest : "*") &&
               list(search, size, NULL, *rest ? pattern : "**/*");
    if (strpbrk(name, "*?[\\"))
        return list(search, size, name, rest);
    size_t joined = join(search, size, name, name_size);
    int is_done = joined > 0 && match(search, joined, rest, *rest);
    search->path[size] = 0;
    return is_done;
}

static int emit(struct search *search) {
    struct names *found = &search->found;
    spin_string *texts = calloc(found->count + 1, sizeof *texts);
    if (!texts)
        return problem_set(search->problem, ENOMEM, NULL);
    size_t count = 0, size = 0;
    names_sort(found);
    for (size_t i = 0; i < found->count; i++) {
        // With several `**`, one path may match in several ways.
        if (i > 0 && strcmp(found->names[i], found->names[i - 1]) == 0)
            continue;
        texts[count] = (spin_string){found->names[i], strlen(found->names[i])};
        size += texts[count++].size;
    }
    spin_status status = spin_wait_paths(search->job->call, (spin_list_string){texts, count}, SPIN_FOREVER);
    job_finish(search->job, status, size);
    free(texts);
    return 1;
}

int answer_with_paths(struct job *job, struct problem *problem) {
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return problem_set(problem, ENOMEM, NULL);
    search->job = job;
    search->problem = problem;
    const char *pattern = job->path + strspn(job->path, "/");
    size_t size = pattern > job->path ? join(search, 0, "/", 1) : 0;
    int is_done = *pattern ? descend(search, size, pattern) && emit(search)
                           : problem_set(problem, EINVAL, "it is not a pattern");
    names_free(&search->found);
    free(search);
    return is_done;
}
