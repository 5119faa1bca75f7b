#include "watch.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
    in_folders = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_MOVE_SELF | IN_ONLYDIR,
    in_files = IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF,
};

// Watches the folder of a path, which is changed.
static int watch_folder(int descriptor, char *path) {
    char *slash = strrchr(path, '/');
    if (!slash)
        path = ".";
    else
        slash[slash == path] = 0;
    return inotify_add_watch(descriptor, path, in_folders);
}

int watch_open(struct watch *watch, const char *path) {
    char *copy = strdup(path);
    if (!copy)
        return ENOMEM;
    int error = 0;
    watch->descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch->descriptor < 0)
        error = errno;
    else if ((watch->folder = watch_folder(watch->descriptor, copy)) < 0) {
        error = errno;
        close(watch->descriptor);
    }
    free(copy);
    return error;
}

int watch_file(struct watch *watch, const char *path, int file) {
    // The file itself, whatever the path names by now.
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    int result = inotify_add_watch(watch->descriptor, name, in_files);
    int error = errno;
    char *target = realpath(path, NULL);
    if (target)
        watch_folder(watch->descriptor, target);
    free(target);
    errno = error;
    return result;
}

void watch_forget(struct watch *watch, int file_watch) { inotify_rm_watch(watch->descriptor, file_watch); }

int watch_take(struct watch *watch) {
    int is_there = 1;
    for (;;) {
        _Alignas(struct inotify_event) char events[sizeof(struct inotify_event) * 16 + NAME_MAX + 1];
        ssize_t size = read(watch->descriptor, events, sizeof events);
        if (size <= 0)
            return is_there;
        for (ssize_t place = 0; place < size;) {
            struct inotify_event event;
            memcpy(&event, events + place, sizeof event);
            if (event.wd == watch->folder && event.mask & (IN_IGNORED | IN_MOVE_SELF))
                is_there = 0;
            place += (ssize_t)(sizeof event + event.len);
        }
    }
}

void watch_close(struct watch *watch) { close(watch->descriptor); }
