// Removes and moves files and folders, and makes folders.
#include "instance.h"
#include "job.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int remove_path(struct job *job, struct problem *problem) {
    const char *name;
    int folder = place_open_folder(&job->self->place, job->path, O_PATH, &name, problem);
    if (folder < 0)
        return problem->error == ENOENT || problem->error == ENOTDIR;
    int is_done = unlinkat(folder, name, 0) == 0 || errno == ENOENT ||
                  (errno == EISDIR && unlinkat(folder, name, AT_REMOVEDIR) == 0) || problem_of_errno(problem);
    close(folder);
    return is_done;
}

int move_path(struct job *job, struct problem *problem) {
    const char *name, *next;
    int from = place_open_folder(&job->self->place, job->path, O_PATH, &name, problem);
    if (from < 0)
        return 0;
    int to = place_open_folder(&job->self->place, job->to, O_PATH, &next, problem), is_done = 0;
    if (to >= 0) {
        is_done = renameat2(from, name, to, next, RENAME_NOREPLACE) == 0 ||
                  problem_set(problem, errno, errno == EXDEV ? "they are on different file systems" : NULL);
        close(to);
    }
    close(from);
    return is_done;
}

// Whether a folder is at a path: 1, or 0 if nothing is there; -1 with a problem, as for something else.
static int find_folder(const struct place *place, const char *path, struct problem *problem) {
    struct stat status;
    int is_there = place_look(place, path, 1, &status, problem);
    if (is_there <= 0 || S_ISDIR(status.st_mode))
        return is_there;
    problem_set(problem, EEXIST, "something else has this name");
    return -1;
}

// Makes one folder, unless it is there.
static int make_one(const struct place *place, const char *path, struct problem *problem) {
    const char *name;
    int is_there = find_folder(place, path, problem);
    if (is_there)
        return is_there > 0;
    int folder = place_open_folder(place, path, O_PATH, &name, problem);
    if (folder < 0)
        return 0;
    int error = mkdirat(folder, name, 0777) == 0 ? 0 : errno;
    close(folder);
    if (error != EEXIST)
        return !error || problem_set(problem, error, NULL);
    // Something has come meanwhile, or is a link that leads to nothing.
    is_there = find_folder(place, path, problem);
    return is_there > 0 || (is_there == 0 && problem_set(problem, EEXIST, "something else has this name"));
}

int make_folders(struct job *job, struct problem *problem) {
    char *path = strdup(job->path);
    if (!path)
        return problem_set(problem, ENOMEM, NULL);
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        path[--size] = 0;
    int is_done = 1;
    // First those above it, from the outermost one.
    for (size_t i = 1; i < size && is_done; i++)
        if (path[i] == '/' && path[i - 1] != '/') {
            path[i] = 0;
            is_done = make_one(&job->self->place, path, problem);
            path[i] = '/';
        }
    is_done = is_done && make_one(&job->self->place, path, problem);
    free(path);
    return is_done;
}
