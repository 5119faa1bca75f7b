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
    // Others may make folders as deep as they like, with very many such paths.
    int is_long = problem->error == ENAMETOOLONG;
    if (!*node->path || (!is_long && problem->error != EACCES))
        return watch_fail(watch, path, problem);
    if (!is_long || !watch->has_warned_of_long)
        spin_log_with(watch->task.call, SPIN_LOG_WARNING,
                      is_long ? "paths that are too long for the system are left out"
                              : "a path that the app may not read is left out",
                      spin_field_text("path", path));
    watch->has_warned_of_long |= is_long;
    return 1;
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

// Hears of an open folder, and sets its number. 1, or 0 if another folder is there than the one that is known; -1 with
// a problem.
static int hear(struct watch *watch, struct node *folder, int opened, struct problem *problem) {
    int number = notices_add(watch, opened, NOTICES_TREE, problem);
    if (number < 0)
        return -1;
    if (folder->number >= 0 && folder->number != number) {
        // The notice of that was lost, or is still to come.
        folder->status.st_ino = 0;
        watch_mark(watch, folder);
        notices_drop(watch, number);
        return 0;
    }
    if (!tree_set_number(&watch->tree, folder, number)) {
        problem_set(problem, ENOMEM, NULL);
        return -1;
    }
    fstat(opened, &folder->status);
    return 1;
}

// Reads the names of an open folder, which it closes; 0 if the call has failed.
static int read_names(struct watch *watch, struct node *folder, int opened, const char *path,
                      struct names *names) {
    struct problem problem;
    int is_done = names_read(names, opened, (size_t)watch->self->config->most_paths, &problem) ||
                  watch_tolerates(watch, folder, path, &problem);
    if (names->has_left_out)
        watch_warn(watch, path);
    return is_done;
}

int watch_folder(struct watch *watch, struct node *folder, struct names *names) {
    struct problem problem;
    *names = (struct names){0};
    char *path = watch_path(watch, folder->path);
    if (!path)
        return watch_fail_memory(watch);
    // A link that has come in its place meanwhile is not followed.
    int flags = O_RDONLY | O_DIRECTORY | (*folder->path ? O_NOFOLLOW : 0);
    int opened = place_open(&watch->self->place, path, flags, 0, &problem);
    int is_heard = opened < 0 ? -1 : hear(watch, folder, opened, &problem), is_done = 1;
    if (is_heard > 0)
        is_done = read_names(watch, folder, opened, path, names);
    else if (opened >= 0)
        close(opened);
    if (is_heard < 0)
        is_done = watch_tolerates(watch, folder, path, &problem);
    free(path);
    return is_done;
}

int take_in(struct watch *watch, struct node *node, const struct stat *status) {
    if (watch->tree.known_count >= (size_t)watch->self->config->most_paths)
        return watch_fail(
            watch, watch->path,
            &(struct problem){E2BIG, "it has more files and folders than the setting `most_paths` allows"});
    if (spin_cancelled(watch->task.call))
        return 0;
    tree_set_known(&watch->tree, node, 1);
    node->status = *status;
    return 1;
}

int is_to_be_watched(const struct watch *watch, const struct node *node) {
    // The folder that the app has named, and with `recursive` those below it.
    return S_ISDIR(node->status.st_mode) && (!*node->path || watch->is_recursive);
}
