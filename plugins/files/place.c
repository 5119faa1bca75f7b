#include "place.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How often it tries again when somebody moves folders meanwhile. */
enum { most_tries = 64 };

static int open_beneath(int root, const char *path, int flags, mode_t mode) {
    struct open_how how = {.flags = (uint64_t)flags,
                           .mode = flags & O_CREAT ? mode : 0,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    int descriptor = -1;
    for (int tries = 0; tries < most_tries; tries++) {
        descriptor = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
        if (descriptor >= 0 || errno != EAGAIN)
            break;
    }
    return descriptor;
}

int place_open(const struct place *place, const char *path, int flags, mode_t mode, struct problem *problem) {
    flags |= O_CLOEXEC;
    int descriptor =
        place->root == AT_FDCWD ? open(path, flags, mode) : open_beneath(place->root, path, flags, mode);
    if (descriptor >= 0)
        return descriptor;
    if (errno == EXDEV)
        problem_set(problem, EXDEV, "it leads out of the folder of the setting `root`");
    else
        problem_of_errno(problem);
    return -1;
}

int place_init(struct place *place, const spin_config *config, struct problem *problem) {
    if (config->root.size == 0 || place->root != AT_FDCWD)
        return 1;
    int root = open(config->root.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return problem_of_errno(problem);
    int itself = open_beneath(root, ".", O_PATH | O_CLOEXEC, 0);
    if (itself < 0) {
        problem_set(problem, errno, errno == ENOSYS ? "this needs Linux 5.6 (openat2)" : NULL);
        close(root);
        return 0;
    }
    close(itself);
    place->root = root;
    return 1;
}

void descriptor_path(int descriptor, char path[DESCRIPTOR_PATH_SIZE]) {
    snprintf(path, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", descriptor);
}

void place_free(struct place *place) {
    if (place->root != AT_FDCWD)
        close(place->root);
}

// Whether an open descriptor is a regular file; sets its status.
static int is_regular(int descriptor, struct stat *status, struct problem *problem) {
    if (fstat(descriptor, status) != 0)
        return problem_of_errno(problem);
    return S_ISREG(status->st_mode) ||
           (S_ISDIR(status->st_mode) ? problem_set(problem, EISDIR, "it is a folder")
                                     : problem_set(problem, EINVAL, "it is not a regular file"));
}

// Opens for reading or writing what was opened with O_PATH.
static int open_again(int descriptor, int flags, struct problem *problem) {
    char path[DESCRIPTOR_PATH_SIZE];
    descriptor_path(descriptor, path);
    int again = open(path, flags | O_CLOEXEC);
    if (again < 0)
        problem_of_errno(problem);
    return again;
}

int place_open_file(const struct place *place, const char *path, int flags, struct stat *status,
                    struct problem *problem) {
    const int harmless = O_NONBLOCK | O_NOCTTY;
    // To open a device or a pipe does something already, and O_PATH does not open it.
    int found = place_open(place, path, O_PATH, 0, problem), file = -1;
    if (found >= 0)
        file = is_regular(found, status, problem) ? open_again(found, (flags & ~O_CREAT) | harmless, problem)
                                                  : -1;
    else if (flags & O_CREAT && problem->error == ENOENT)
        file = place_open(place, path, flags | harmless, 0666, problem);
    if (found >= 0)
        close(found);
    if (file < 0 || is_regular(file, status, problem))
        return file;
    close(file);
    return -1;
}

int place_open_folder(const struct place *place, const char *path, int flags, const char **name,
                      struct problem *problem) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (!**name || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0) {
        problem_set(problem, EINVAL, "it does not end with a name");
        return -1;
    }
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
    if (slash && !folder) {
        problem_set(problem, ENOMEM, NULL);
        return -1;
    }
    int descriptor = place_open(place, folder ? folder : ".", flags | O_DIRECTORY, 0, problem);
    free(folder);
    return descriptor;
}

int place_look(const struct place *place, const char *path, int follows, struct stat *status,
               struct problem *problem) {
    int descriptor = place_open(place, path, follows ? O_PATH : O_PATH | O_NOFOLLOW, 0, problem);
    if (descriptor < 0)
        return problem->error == ENOENT || problem->error == ENOTDIR ? 0 : -1;
    int is_known = fstat(descriptor, status) == 0;
    if (!is_known)
        problem_of_errno(problem);
    close(descriptor);
    return is_known ? 1 : -1;
}
