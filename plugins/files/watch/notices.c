#include "notices.h"
#include "../names.h"
#include "../../std/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

uint32_t notices_events(enum notices_events events) {
    static const uint32_t names = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
    static const uint32_t writes = IN_MODIFY | IN_CLOSE_WRITE;
    return events == NOTICES_TREE     ? names | writes | IN_DELETE_SELF | IN_MOVE_SELF
           : events == NOTICES_PARENT ? names | IN_DELETE_SELF | IN_MOVE_SELF
                                      : writes;
}

int notices_add(struct watch *watch, int folder, uint32_t events, struct problem *problem) {
    char path[DESCRIPTOR_PATH_SIZE];
    descriptor_path(folder, path);
    int number = inotify_add_watch(watch->notices, path, events | IN_ONLYDIR | IN_MASK_ADD);
    if (number < 0)
        problem_set(problem, errno,
                    errno == ENOSPC
                        ? "the user of the app may watch no more folders (fs.inotify.max_user_watches)"
                        : NULL);
    return number;
}

int notices_add_parent(struct watch *watch, uint32_t events, struct problem *problem) {
    int parent = place_open(&watch->self->place, watch->parent, O_PATH | O_DIRECTORY, 0, problem);
    if (parent < 0)
        return -1;
    int number = notices_add(watch, parent, events, problem);
    close(parent);
    return number;
}

void notices_remove(struct watch *watch, int number) { inotify_rm_watch(watch->notices, number); }

// Notes where a path has come from, if the notice before was about that.
static int follow(struct watch *watch, struct node *node, const struct inotify_event *event) {
    if (event->mask & IN_MOVED_FROM) {
        // It may have come from elsewhere itself, since the watch looked last.
        const char *origin = node->from ? node->from : node->path;
        char *moved = strdup(origin);
        free(watch->moved);
        watch->moved = moved;
        watch->cookie = event->cookie;
        free(node->from);
        node->from = NULL;
        return moved || watch_fail_memory(watch);
    }
    if (event->mask & IN_MOVED_TO) {
        free(node->from);
        node->from = watch->moved && event->cookie == watch->cookie ? watch->moved : NULL;
        if (node->from)
            watch->moved = NULL;
    }
    return 1;
}

static int mark(struct watch *watch, struct node *node, const struct inotify_event *event) {
    if (!node)
        return watch_fail_memory(watch);
    node->is_written |= (event->mask & IN_MODIFY) != 0;
    if (!follow(watch, node, event))
        return 0;
    watch_mark(watch, node);
    return 1;
}

static int take_name(struct watch *watch, const struct node *folder, const struct inotify_event *event,
                     const char *name) {
    if (utf8_valid(name, strlen(name)) < strlen(name)) {
        char *path = watch_path(watch, folder->path);
        if (path)
            watch_warn(watch, path);
        free(path);
        return 1;
    }
    return mark(watch, tree_take_below(&watch->tree, folder, name), event);
}

static int take(struct watch *watch, const struct inotify_event *event, const char *name) {
    if (event->mask & IN_Q_OVERFLOW) {
        watch->has_lost = 1;
        return 1;
    }
    if (event->wd == watch->parent_number) {
        watch->has_gone |= (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0;
        if (event->len > 0 && strcmp(name, watch->name) == 0 &&
            !mark(watch, tree_take(&watch->tree, ""), event))
            return 0;
    }
    struct node *folder = tree_numbered(&watch->tree, event->wd);
    if (!folder)
        return 1;
    if (event->len > 0)
        return name_is_own(name) || take_name(watch, folder, event, name);
    if (!*folder->path && !watch->parent)
        watch->has_gone |= (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0;
    // The kernel has forgotten the folder: it was deleted, or its file system has gone. What is there by now is another
    // one, even if it has got the same inode.
    if (event->mask & IN_IGNORED) {
        folder->status.st_ino = 0;
        tree_set_number(&watch->tree, folder, -1);
        watch_mark(watch, folder);
    }
    return 1;
}

int notices_take(struct watch *watch) {
    _Alignas(struct inotify_event) char events[1 << 16];
    ssize_t size = read(watch->notices, events, sizeof events);
    for (ssize_t place = 0; place < size;) {
        struct inotify_event event;
        memcpy(&event, events + place, sizeof event);
        if (!take(watch, &event, events + place + sizeof event))
            return 0;
        place += (ssize_t)(sizeof event + event.len);
    }
    return 1;
}
