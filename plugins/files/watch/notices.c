#include "notices.h"
#include "../names.h"
#include "../../std/utf8.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

uint32_t notices_mask(enum notices_events events) {
    static const uint32_t names = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
    static const uint32_t writes = IN_MODIFY | IN_CLOSE_WRITE, self = IN_DELETE_SELF | IN_MOVE_SELF;
    switch (events) {
    case NOTICES_TREE:
        return names | writes | self;
    case NOTICES_NAMES:
        return names | self;
    case NOTICES_WRITES:
        return writes;
    case NOTICES_SELF:
        return self;
    case NOTICES_LINK:
        // Somebody may have a link open that has no name any more.
        return self | IN_ATTRIB;
    }
    return 0;
}

int notices_add(struct watch *watch, int opened, enum notices_events events, struct problem *problem) {
    char path[DESCRIPTOR_PATH_SIZE];
    descriptor_path(opened, path);
    int number = inotify_add_watch(watch->notices, path, notices_mask(events) | IN_MASK_ADD);
    if (number < 0)
        problem_set(problem, errno,
                    errno == ENOSPC
                        ? "the user of the app may watch no more folders (fs.inotify.max_user_watches)"
                        : NULL);
    return number;
}

void notices_drop(struct watch *watch, int number) {
    if (number >= 0 && !tree_numbered(&watch->tree, number) && !route_uses(&watch->route, number))
        inotify_rm_watch(watch->notices, number);
}

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

static int take_name(struct watch *watch, const struct node *folder, const struct inotify_event *event,
                     const char *name) {
    if (utf8_valid(name, strlen(name)) < strlen(name)) {
        char *path = watch_path(watch, folder->path);
        if (path)
            watch_warn(watch, path);
        free(path);
        return 1;
    }
    struct node *node = tree_take_below(&watch->tree, folder, name);
    if (!node)
        return watch_fail_memory(watch);
    node->is_written |= (event->mask & IN_MODIFY) != 0;
    if (!follow(watch, node, event))
        return 0;
    // It has come and gone, and the watch has not seen it.
    if (!node->is_known && event->mask & (IN_DELETE | IN_MOVED_FROM))
        tree_remove(&watch->tree, node);
    else
        watch_mark(watch, node);
    return 1;
}

static int take(struct watch *watch, const struct inotify_event *event, const char *name) {
    if (event->mask & IN_Q_OVERFLOW) {
        watch->has_lost = watch->has_turned = 1;
        return 1;
    }
    route_take(watch, event, name);
    struct node *folder = tree_numbered(&watch->tree, event->wd);
    if (!folder)
        return 1;
    if (event->len > 0)
        return name_is_own(name) || take_name(watch, folder, event, name);
    if (!*folder->path)
        watch->has_turned = 1;
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
