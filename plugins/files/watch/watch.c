#include "watch.h"
#include "look.h"
#include "../names.h"
#include "notices.h"
#include "present.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

char *watch_path(const struct watch *watch, const char *below) {
    char *path;
    if (!*below)
        return strdup(watch->path);
    const char *slash = watch->path[strlen(watch->path) - 1] == '/' ? "" : "/";
    return asprintf(&path, "%s%s%s", watch->path, slash, below) < 0 ? NULL : path;
}

int watch_fail(struct watch *watch, const char *path, const struct problem *problem) {
    char *text;
    int size = asprintf(&text, "cannot watch `%s`: %s", path, problem->reason);
    spin_fail(watch->task.call, -problem->error, size < 0 ? problem->reason : text);
    if (size >= 0)
        free(text);
    return 0;
}

int watch_fail_memory(struct watch *watch) {
    spin_fail(watch->task.call, -ENOMEM, "there is no memory for a watch");
    return 0;
}

void watch_warn(struct watch *watch, const char *folder) {
    if (!watch->has_warned)
        names_warn(watch->task.call, folder);
    watch->has_warned = 1;
}

void watch_mark(struct watch *watch, struct node *node) {
    int64_t due = spin_monotonic() + watch->settling;
    tree_mark(&watch->tree, node, due);
    // It must see what has come here before it sees that something has gone from there.
    struct node *origin = node->from ? tree_find(&watch->tree, node->from) : NULL;
    if (origin)
        tree_mark(&watch->tree, origin, due);
}

static int begin(struct watch *watch) {
    struct problem problem;
    struct stat status;
    if (place_look(&watch->self->place, watch->path, 1, &status, &problem) < 0)
        return watch_fail(watch, watch->path, &problem);
    watch->notices = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch->notices < 0)
        return watch_fail(watch, watch->path,
                          &(struct problem){errno, errno == EMFILE
                                                       ? "the user of the app may have no more watches "
                                                         "(fs.inotify.max_user_instances), or files"
                                                       : strerrordesc_np(errno)});
    // An earlier call of this run may have seen other things, and nobody has looked meanwhile.
    if (spin_run_attempt(watch->task.call) > 1 &&
        !outbox_add(&watch->outbox, REPORT_RESCAN, 0, "the watch has begun again", NULL))
        return watch_fail_memory(watch);
    return route_find(watch) && take_present(watch) &&
           task_watch(&watch->task, &watch->source, watch->notices, SPIN_POLL_READ);
}

// Finds the route again, and looks at what is at its end.
static int find_again(struct watch *watch) {
    watch->has_turned = 0;
    if (!route_find(watch))
        return 0;
    if (watch->has_gone)
        return watch_fail(watch, watch->parent ? watch->parent : watch->path,
                          &(struct problem){ENOENT, "the folder has gone, or was moved"});
    watch_mark(watch, watch->tree.nodes.items[0]);
    return 1;
}

// Looks at what has been quiet for long enough. 0 when the step must return.
static int look_at_due(struct watch *watch) {
    struct node *node;
    while ((node = watch->tree.first) && node->due <= spin_monotonic())
        if (spin_cancelled(watch->task.call) || !look(watch, node) ||
            !outbox_emit(&watch->outbox, &watch->task))
            return 0;
    return 1;
}

static void set_alarm(struct watch *watch) {
    int64_t now = spin_monotonic();
    if (atomic_exchange(&watch->task.has_woken, 0))
        watch->alarm = INT64_MAX;
    if (!watch->tree.first || watch->tree.first->due >= watch->alarm)
        return;
    watch->alarm = watch->tree.first->due;
    task_wake_after(&watch->task, watch->alarm > now ? watch->alarm - now : 0);
}

// All of it may block, so a notice only has the step called on another thread.
static void step(struct task *task, struct source *ready) {
    struct watch *watch = (struct watch *)task;
    if (ready) {
        task_submit(task);
        return;
    }
    if ((watch->notices < 0 && !begin(watch)) || !outbox_emit(&watch->outbox, task) || !notices_take(watch))
        return;
    if (watch->has_turned && !find_again(watch))
        return;
    int has_lost = watch->has_lost;
    watch->has_lost = 0;
    if ((has_lost && !look_everywhere(watch)) || !outbox_emit(&watch->outbox, task) || !look_at_due(watch))
        return;
    set_alarm(watch);
}

static void release(struct task *task) {
    struct watch *watch = (struct watch *)task;
    if (watch->notices >= 0)
        close(watch->notices);
    tree_free(&watch->tree);
    outbox_free(&watch->outbox);
    route_free(&watch->route);
    free(watch->parent);
    free(watch->moved);
    task_free(task);
}

// Splits a path; 0 without memory. A path that ends with `.` or `..`, or is `/`, has no parent that would tell of it.
static int split(struct watch *watch) {
    const char *slash = strrchr(watch->path, '/'), *name = slash ? slash + 1 : watch->path;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 1;
    watch->parent =
        slash ? strndup(watch->path, slash == watch->path ? 1 : (size_t)(slash - watch->path)) : strdup(".");
    return watch->parent != NULL;
}

/* The longest settling time. */
static const spin_duration longest_settling = 3600000000000;

static void watch(spin_call *call, spin_self *self, const char *path, bool recursive, bool present,
                  spin_duration settle) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    if (size == 0 || settle < 0 || settle > longest_settling) {
        spin_fail(call, -EINVAL,
                  size == 0 ? "cannot watch ``: it is not a path"
                            : "a settling time is 0 s at least, and 1 h at most");
        return;
    }
    struct watch *watch = task_make(call, sizeof *watch + size + 1, step, release);
    if (!watch)
        return;
    watch->self = self;
    watch->notices = -1;
    watch->is_recursive = recursive;
    watch->emits_present = present;
    watch->settling = settle;
    watch->alarm = INT64_MAX;
    memcpy(watch->path, path, size);
    if (split(watch)) {
        task_start(&watch->task);
        return;
    }
    watch_fail_memory(watch);
    task_drop(&watch->task);
}
SPIN_EFFECT(void, watch,
            (spin_call *call, spin_self *self, const char *path, bool recursive, bool present,
             spin_duration settle),
            "Watches a file or a folder until it is cancelled: emits `created`, `changed`, `removed` and `moved`, and "
            "`rescan` when it may have missed something.");
