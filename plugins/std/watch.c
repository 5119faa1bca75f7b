#include "watch.h"
#include "notices.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// Watches the folder of a path. The text of `path` is changed. The folder's number, or -1 with an errno.
static int add_folder(struct watch *watch, char *path) {
    char *slash = strrchr(path, '/');
    if (!slash)
        path = ".";
    else
        slash[slash == path] = 0;
    int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    int number = notices_add(watch, folder, 1);
    int error = errno;
    close(folder);
    errno = error;
    return number;
}

int watch_open(struct watch *watch, const char *path) {
    char *copy = strdup(path);
    if (!copy)
        return ENOMEM;
    *watch = (struct watch){
        .descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .folder = -1, .target_folder = -1};
    int error = watch->descriptor < 0 ? errno : notices_begin(watch);
    if (error) {
        if (watch->descriptor >= 0)
            close(watch->descriptor);
    } else if (add_folder(watch, copy) < 0) {
        error = errno;
        watch_close(watch);
    }
    free(copy);
    return error;
}

int watch_file(struct watch *watch, const char *path, int file) {
    int number = notices_add(watch, file, 0);
    int error = errno;
    char *target = realpath(path, NULL);
    int folder = target ? add_folder(watch, target) : -1;
    free(target);
    if (folder != watch->target_folder) {
        if (watch->target_folder >= 0)
            notices_drop(watch, watch->target_folder);
        watch->target_folder = folder == watch->folder ? -1 : folder;
    }
    errno = error;
    return number;
}

void watch_forget(struct watch *watch, int file_watch) { notices_drop(watch, file_watch); }

int watch_take(struct watch *watch) {
    eventfd_t times = 0;
    eventfd_read(watch->descriptor, &times);
    return !atomic_load(&watch->is_over);
}

void watch_close(struct watch *watch) {
    notices_end(watch);
    close(watch->descriptor);
}
