#include "walk.h"
#include "notices.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As many links as the kernel follows, and how often it opens a name that others replace meanwhile. */
enum { most_links = 40, most_tries = 64 };

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
    int number = notices_add(walker->watch, opened, events, walker->problem);
    if (number < 0)
        return walker->problem->error == EACCES && !is_needed;
    return route_add(walker->route, number, name) || problem_set(walker->problem, ENOMEM, NULL);
}

// The walk can only end where the path leads nowhere. Otherwise nobody knows where it leads.
static enum pass end_with_problem(const struct walker *walker) {
    switch (walker->problem->error) {
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case ELOOP:
    case EXDEV:
    case ENAMETOOLONG:
        return PASS_END;
    default:
        return PASS_FAILED;
    }
}

static enum pass end(struct walker *walker, int error) {
    problem_set(walker->problem, error, NULL);
    return end_with_problem(walker);
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
        return end_with_problem(walker);
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

// Hears of a link, or of a folder on the way, and looks whether the name still leads there: nothing tells what has
// happened before. PASS_END: it does not.
static enum pass hear(struct walker *walker, int opened, const char *name, const struct stat *status) {
    struct stat now;
    enum notices_events events = S_ISLNK(status->st_mode) ? NOTICES_LINK : NOTICES_SELF;
    if (!add(walker, opened, events, NULL, 0))
        return PASS_FAILED;
    int is_there = fstatat(walker->folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0;
    return is_there && route_is_same(&now, status) ? PASS_ON : PASS_END;
}

// Opens a name in the folder.
static enum pass open_name(struct walker *walker, const char *name, int is_last, int *opened,
                           struct stat *status) {
    for (int tries = 0; tries < most_tries; tries++) {
        *opened = openat(walker->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (*opened < 0)
            return end(walker, errno);
        enum pass heard = fstat(*opened, status) != 0 ? end(walker, errno) : PASS_ON;
        if (heard == PASS_ON && (S_ISLNK(status->st_mode) || (!is_last && S_ISDIR(status->st_mode))))
            heard = hear(walker, *opened, name, status);
        if (heard == PASS_ON)
            return PASS_ON;
        close(*opened);
        if (heard == PASS_FAILED)
            return PASS_FAILED;
    }
    return end(walker, EAGAIN);
}

// Continues with what is open.
static enum pass pass_opened(struct walker *walker, int opened, const struct stat *status, const char *name,
                             int is_last) {
    if (S_ISLNK(status->st_mode))
        return follow(walker, opened);
    if (is_last) {
        int is_file = !S_ISDIR(status->st_mode);
        return !is_file || add(walker, walker->folder, NOTICES_WRITES, name, 0) ? PASS_END : PASS_FAILED;
    }
    if (!S_ISDIR(status->st_mode))
        return end(walker, ENOTDIR);
    int folder = fcntl(opened, F_DUPFD_CLOEXEC, 0);
    if (folder < 0)
        return end(walker, errno);
    enter(walker, folder, walker->depth + 1);
    return PASS_ON;
}

// Notes that it is in the folder that has the path.
static enum pass find(struct walker *walker) {
    struct route *route = walker->route;
    if (fstat(walker->folder, &route->place) != 0)
        return end(walker, errno);
    route->is_found = 1;
    return PASS_ON;
}

static enum pass pass_name(struct walker *walker, const char *name, int is_last) {
    struct stat status;
    int opened, is_own = is_last && !walker->route->is_found;
    // Notices come first, so that the walk misses nothing. In a folder on the way the name is there already.
    int hears_of_names = is_last || walker->route->is_found;
    if (hears_of_names && !add(walker, walker->folder, NOTICES_NAMES, name, is_own))
        return PASS_FAILED;
    enum pass pass = is_own ? find(walker) : PASS_ON;
    if (pass == PASS_ON)
        pass = open_name(walker, name, is_last, &opened, &status);
    if (pass != PASS_ON)
        return pass;
    pass = pass_opened(walker, opened, &status, name, is_last);
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
    enum pass found = walker->route->is_found ? PASS_ON : find(walker);
    return found == PASS_ON ? PASS_END : found;
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
