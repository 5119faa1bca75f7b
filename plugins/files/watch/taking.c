#include "taking.h"
#include "../names.h"
#include "notices.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int watch_report(struct watch *watch, enum report_kind kind, const struct node *node, const char *from) {
    char *path = watch_path(watch, node->path), *before = from ? watch_path(watch, from) : NULL;
    int is_done = path && (before || !from) &&
                  outbox_add(&watch->outbox, kind, S_ISDIR(node->status.st_mode), path, before);
    free(path);
    free(before);
    return is_done || watch_fail_memory(watch);
}

int watch_tolerates(struct watch *watch, struct node *node, const char *path, const struct problem *problem) {
    // A link that has come in place of a folder may lead out of the root, or to itself.
    int has_link = *node->path && (problem->error == EXDEV || problem->error == ELOOP);
    if (problem->error == ENOENT || problem->error == ENOTDIR || has_link) {
        // It has gone meanwhile, and another notice says so. If it is back then, it counts as another one.
        node->status.st_ino = 0;
        return 1;
    }
    if (problem->error != EACCES || !*node->path)
        return watch_fail(watch, path, problem);
    spin_log_with(watch->task.call, SPIN_LOG_WARNING, "the app may not look at a path, which is left out",
                  spin_field_text("path", path));
    return 1;
}

int watch_open(const struct watch *watch, const struct node *folder, const char *path,
               struct problem *problem) {
    return place_open(&watch->self->place, path, O_RDONLY | O_DIRECTORY | (*folder->path ? O_NOFOLLOW : 0), 0,
                      problem);
}

int watch_find(struct watch *watch, struct node *node, struct stat *status) {
    struct problem problem;
    char *path = watch_path(watch, node->path);
    if (!path)
        return watch_fail_memory(watch), -1;
    // A link is one of the files, unless it is what the app has named.
    int is_there = place_look(&watch->self->place, path, !*node->path, status, &problem);
    if (is_there < 0 && watch_tolerates(watch, node, path, &problem))
        is_there = 0;
    free(path);
    return is_there;
}

static int take_name(struct watch *watch, const struct node *folder, const char *name, enum taking taking) {
    struct node *node = tree_take_below(&watch->tree, folder, name);
    if (!node)
        return watch_fail_memory(watch);
    if (taking == TAKE_NEW) {
        watch_mark(watch, node);
        return 1;
    }
    struct stat status;
    int is_there = watch_find(watch, node, &status);
    if (is_there > 0)
        return take_in(watch, node, &status, taking);
    if (is_there == 0)
        tree_remove(&watch->tree, node); // It was there a moment ago.
    return is_there == 0;
}

int take_names(struct watch *watch, struct node *folder, int opened, const char *path, enum taking taking) {
    struct problem problem;
    struct names names;
    int is_done = names_read(&names, opened, (size_t)watch->self->config->most_paths, &problem) ||
                  watch_tolerates(watch, folder, path, &problem);
    if (names.has_left_out)
        watch_warn(watch, path);
    for (size_t i = 0; i < names.count && is_done; i++)
        is_done = take_name(watch, folder, names.names[i], taking);
    names_free(&names);
    return is_done;
}

// Watches a folder, and takes in what it has. The other order would miss what comes in between. Others may move it
// meanwhile, so all of it is about the folder that was opened.
static int enter(struct watch *watch, struct node *folder, enum taking taking) {
    struct problem problem;
    char *path = watch_path(watch, folder->path);
    if (!path)
        return watch_fail_memory(watch);
    int opened = watch_open(watch, folder, path, &problem), is_done;
    int number = opened < 0 ? -1 : notices_add(watch, opened, notices_events(NOTICES_TREE), &problem);
    if (number >= 0 && tree_set_number(&watch->tree, folder, number)) {
        fstat(opened, &folder->status);
        is_done = take_names(watch, folder, opened, path, taking);
    } else {
        is_done = number < 0 ? watch_tolerates(watch, folder, path, &problem) : watch_fail_memory(watch);
        if (opened >= 0)
            close(opened);
    }
    free(path);
    return is_done;
}

// A file in place of a folder: the kernel must tell of its writes, too.
static int hear_of_writes(struct watch *watch, struct node *node) {
    struct problem problem;
    if (watch->hears_of_writes || !watch->parent)
        return 1;
    if (notices_add_parent(watch, notices_events(NOTICES_WRITES), &problem) < 0)
        return watch_fail(watch, watch->parent, &problem);
    watch->hears_of_writes = 1;
    watch_mark(watch, node);
    return 1;
}

int take_in(struct watch *watch, struct node *node, const struct stat *status, enum taking taking) {
    if (watch->tree.count > (size_t)watch->self->config->most_paths)
        return watch_fail(
            watch, watch->path,
            &(struct problem){E2BIG, "it has more files and folders than the setting `most_paths` allows"});
    if (spin_cancelled(watch->task.call))
        return 0;
    node->is_known = 1;
    node->status = *status;
    if ((taking == TAKE_NEW || watch->emits_present) &&
        !watch_report(watch, taking == TAKE_NEW ? REPORT_CREATED : REPORT_PRESENT, node, NULL))
        return 0;
    if (!S_ISDIR(status->st_mode))
        return *node->path || hear_of_writes(watch, node);
    // The folder that the app has named, and with `recursive` those below it.
    return (*node->path && !watch->is_recursive) || enter(watch, node, taking);
}

int take_first(struct watch *watch) {
    struct stat status;
    struct node *node = tree_take(&watch->tree, "");
    if (!node)
        return watch_fail_memory(watch);
    int is_there = watch_find(watch, node, &status);
    if (is_there > 0)
        return take_in(watch, node, &status, TAKE_PRESENT);
    return is_there == 0;
}
