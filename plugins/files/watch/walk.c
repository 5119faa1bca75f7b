#include "walk.h"
#include "notices.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As many links as the kernel follows. */
enum { most_links = 40 };

struct walker {
    struct watch *watch;
    struct route *route;
    struct problem *problem;
    int folder;       /* where it is */
    int depth;        /* of that, below where it began */
    int links;        /* how many it has followed */
    char *way, *rest; /* the way to walk, and what is left of it */
};

enum pass { PASS_ON, PASS_END, PASS_FAILED };

// Has inotify tell of what is open. Only for what is needed the app must have the right to read it.
static int add(struct walker *walker, int opened, enum notices_events events, const char *name,
               int is_needed) {
    struct route *route = walker->route;
    int number = notices_add(walker->watch, opened, events, walker->problem);
    if (number < 0)
        return walker->problem->error == EACCES && !is_needed;
    if (route->count == route->capacity) {
        size_t capacity = route->capacity ? route->capacity * 2 : 8;
        struct step *grown = realloc(route->steps, capacity * sizeof *grown);
        if (!grown)
            return problem_set(walker->problem, ENOMEM, NULL);
        route->steps = grown;
        route->capacity = capacity;
    }
    char *copy = name ? strdup(name) : NULL;
    if (name && !copy)
        return problem_set(walker->problem, ENOMEM, NULL);
    route->steps[route->count++] = (struct step){number, copy};
    return 1;
}

static enum pass end(struct walker *walker, int error) {
    problem_set(walker->problem, error, NULL);
    return PASS_END;
}

static void enter(struct walker *walker, int folder, int depth) {
    if (walker->folder >= 0)
        close(walker->folder);
    walker->folder = folder;
    walker->depth = depth;
}

static enum pass begin(struct walker *walker) {
    const char *start = *walker->rest == '/' ? "/" : ".";
    int folder = place_open(&walker->watch->self->place, start, O_PATH | O_DIRECTORY, 0, walker->problem);
    if (folder < 0)
        return PASS_END;
    enter(walker, folder, 0);
    return PASS_ON;
}

static enum pass rise(struct walker *walker) {
    if (walker->depth == 0 && walker->watch->self->place.root != AT_FDCWD)
        return end(walker, EXDEV);
    int folder = openat(walker->folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return end(walker, errno);
    enter(walker, folder, walker->depth - 1);
    return PASS_ON;
}

static enum pass follow(struct walker *walker, int link) {
    char target[PATH_MAX], *way;
    if (++walker->links > most_links)
        return end(walker, ELOOP);
    ssize_t size = readlinkat(link, "", target, sizeof target - 1);
    if (size < 0)
        return end(walker, errno);
    target[size] = 0;
    if (asprintf(&way, "%s/%s", target, walker->rest) < 0)
        return problem_set(walker->problem, ENOMEM, NULL), PASS_FAILED;
    free(walker->way);
    walker->way = walker->rest = way;
    return *target == '/' ? begin(walker) : PASS_ON;
}

// Continues with what is open.
static enum pass pass_opened(struct walker *walker, int opened, const char *name, int is_last) {
    struct stat status;
    if (fstat(opened, &status) != 0)
        return end(walker, errno);
    if (S_ISLNK(status.st_mode))
        return add(walker, opened, NOTICES_LINK, NULL, 0) ? follow(walker, opened) : PASS_FAILED;
    if (is_last) {
        int is_file = !S_ISDIR(status.st_mode);
        return !is_file || add(walker, walker->folder, NOTICES_WRITES, name, 0) ? PASS_END : PASS_FAILED;
    }
    if (!S_ISDIR(status.st_mode))
        return end(walker, ENOTDIR);
    int folder = fcntl(opened, F_DUPFD_CLOEXEC, 0);
    if (folder < 0)
        return end(walker, errno);
    enter(walker, folder, walker->depth + 1);
    return add(walker, folder, NOTICES_SELF, NULL, 0) ? PASS_ON : PASS_FAILED;
}

static enum pass pass_name(struct walker *walker, const char *name, int is_last) {
    struct route *route = walker->route;
    int is_own = is_last && !route->is_found;
    // Notices come first, so that the walk misses nothing. In a folder on the way the name is there already.
    int hears_of_names = is_last || route->is_found;
    if (hears_of_names && !add(walker, walker->folder, NOTICES_NAMES, name, is_own))
        return PASS_FAILED;
    if (is_own)
        route->is_found = fstat(walker->folder, &route->place) == 0;
    int opened = openat(walker->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0)
        return end(walker, errno);
    enum pass pass = pass_opened(walker, opened, name, is_last);
    close(opened);
    return pass;
}

static enum pass pass(struct walker *walker) {
    char *part = walker->rest + strspn(walker->rest, "/"), *behind = part + strcspn(part, "/");
    char *rest = behind + strspn(behind, "/");
    *behind = 0;
    walker->rest = rest;
    if (strcmp(part, "..") == 0)
        return rise(walker);
    if (*part && strcmp(part, ".") != 0)
        return pass_name(walker, part, !*rest);
    if (*rest)
        return PASS_ON;
    // It ends without a name, as `/` or `.` does.
    if (!walker->route->is_found)
        walker->route->is_found = fstat(walker->folder, &walker->route->place) == 0;
    return PASS_END;
}

int walk(struct watch *watch, struct route *route, struct problem *problem) {
    struct walker walker = {.watch = watch, .route = route, .problem = problem, .folder = -1};
    walker.way = walker.rest = strdup(watch->path);
    if (!walker.way)
        return problem_set(problem, ENOMEM, NULL);
    enum pass found = begin(&walker);
    while (found == PASS_ON)
        found = pass(&walker);
    free(walker.way);
    if (walker.folder >= 0)
        close(walker.folder);
    return found != PASS_FAILED;
}
