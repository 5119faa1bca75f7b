#include "look.h"
#include "notices.h"
#include "taking.h"
#include <stdlib.h>
#include <string.h>

static int leave(struct watch *watch, struct node *node) {
    int number = node->number, is_done = !node->is_known || watch_report(watch, REPORT_REMOVED, node, NULL);
    tree_set_number(&watch->tree, node, -1);
    tree_set_known(&watch->tree, node, 0);
    notices_drop(watch, number);
    return is_done;
}

// Reports that a node is removed, with all below it, the deepest first. The node itself stays.
static int forget(struct watch *watch, struct node *node) {
    size_t first, end;
    int is_done = 1;
    tree_below(&watch->tree, node, &first, &end);
    while (end > first && is_done)
        is_done = leave(watch, watch->tree.nodes.items[--end]);
    tree_remove_below(&watch->tree, node);
    return is_done && leave(watch, node);
}

static int differs(const struct stat *left, const struct stat *right) {
    return left->st_ino != right->st_ino || left->st_dev != right->st_dev ||
           left->st_size != right->st_size || left->st_mtim.tv_sec != right->st_mtim.tv_sec ||
           left->st_mtim.tv_nsec != right->st_mtim.tv_nsec;
}

static int is_same_file(const struct stat *left, const struct stat *right) {
    return left->st_ino == right->st_ino && left->st_dev == right->st_dev &&
           S_ISDIR(left->st_mode) == S_ISDIR(right->st_mode);
}

// The node that was moved to where something has come; NULL without one. `*is_over`: the call has failed.
static struct node *origin(struct watch *watch, const char *from, const struct stat *status, int *is_over) {
    struct node *node = from && *from ? tree_find(&watch->tree, from) : NULL;
    struct stat other;
    if (!node || !node->is_known || !is_same_file(&node->status, status))
        return NULL;
    int is_there = watch_find(watch, node, &other);
    *is_over = is_there < 0;
    return is_there == 0 ? node : NULL;
}

// Marks what a folder has.
static int list(struct watch *watch, struct node *folder) {
    struct names names;
    int is_done = watch_folder(watch, folder, &names);
    for (size_t i = 0; i < names.count && is_done; i++) {
        struct node *node = tree_take_below(&watch->tree, folder, names.names[i]);
        is_done = node || watch_fail_memory(watch);
        if (node)
            watch_mark(watch, node);
    }
    names_free(&names);
    return is_done;
}

// The same, if it is watched.
static int list_again(struct watch *watch, struct node *folder) {
    return folder->number < 0 || list(watch, folder);
}

// Marks what a folder has, and what those below it have.
static int list_all(struct watch *watch, struct node *folder) {
    size_t first, end;
    int is_done = list_again(watch, folder);
    tree_below(&watch->tree, folder, &first, &end);
    // What is added meanwhile comes behind its folder.
    for (size_t left = end - first; left > 0 && is_done; left--) {
        size_t count = watch->tree.nodes.count;
        is_done = list_again(watch, watch->tree.nodes.items[first++]);
        left += watch->tree.nodes.count - count;
    }
    return is_done;
}

// A node has another path now, where the tree has one that is not known.
static int move(struct watch *watch, struct node *moved, struct node *target, const struct stat *status) {
    char *path = strdup(target->path), *from = strdup(moved->path);
    int is_done = path && from && forget(watch, target);
    if (is_done) {
        tree_remove(&watch->tree, target);
        tree_unmark(&watch->tree, moved);
        is_done = tree_move(&watch->tree, moved, path);
    }
    free(path);
    if (!is_done) {
        free(from);
        return watch_fail_memory(watch);
    }
    int is_changed = !S_ISDIR(status->st_mode) && (moved->is_written || differs(&moved->status, status));
    moved->is_written = 0;
    moved->status = *status;
    is_done = watch_report(watch, REPORT_MOVED, moved, from) &&
              (!is_changed || watch_report(watch, REPORT_CHANGED, moved, NULL));
    free(from);
    // What the watch has looked for at the old paths meanwhile was not there any more.
    return is_done && list_all(watch, moved);
}

// Something has come to the path of a node that is not known.
static int arrive(struct watch *watch, struct node *node, const char *from, const struct stat *status) {
    int is_over = 0;
    struct node *moved = origin(watch, from, status, &is_over);
    if (is_over)
        return 0;
    if (moved)
        return move(watch, moved, node, status);
    return take_in(watch, node, status) && watch_report(watch, REPORT_CREATED, node, NULL) &&
           (!is_to_be_watched(watch, node) || list(watch, node));
}

// Whether it is still there. A file may have another inode: then it has changed. Another folder is another one.
static int stays(const struct node *node, const struct stat *status) {
    if (!S_ISDIR(node->status.st_mode))
        return !S_ISDIR(status->st_mode);
    return is_same_file(&node->status, status);
}

int look(struct watch *watch, struct node *node) {
    struct stat status;
    char *from = node->from;
    int is_written = node->is_written;
    node->from = NULL;
    node->is_written = 0;
    tree_unmark(&watch->tree, node);
    int is_there = watch_find(watch, node, &status), is_done = is_there >= 0;
    if (is_done && is_there && node->is_known && stays(node, &status)) {
        int is_changed = !S_ISDIR(status.st_mode) && (is_written || differs(&node->status, &status));
        node->status = status;
        is_done = !is_changed || watch_report(watch, REPORT_CHANGED, node, NULL);
    } else if (is_done) {
        is_done = forget(watch, node);
        if (is_done && is_there)
            is_done = arrive(watch, node, from, &status);
        else if (is_done && *node->path)
            tree_remove(&watch->tree, node);
    }
    free(from);
    return is_done;
}

int look_everywhere(struct watch *watch) {
    int is_done =
        outbox_add(&watch->outbox, REPORT_RESCAN, 0, "the system had no room for all notices", NULL) ||
        watch_fail_memory(watch);
    for (size_t i = 0; i < watch->tree.nodes.count; i++)
        watch_mark(watch, watch->tree.nodes.items[i]);
    return is_done && list_all(watch, watch->tree.nodes.items[0]);
}
