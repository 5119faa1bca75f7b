// The calls of `watch`. A notice of the kernel is a mark only: the watch then looks at the path, and compares it with
// what it knew. So it misses no state that lasts, whatever the order of the notices, and also when some are lost.
//
// Each watch has an inotify descriptor of its own. So no watch can fill the queue of another one.
#ifndef FILES_WATCH_H
#define FILES_WATCH_H

#include "../instance.h"
#include "outbox.h"
#include "route.h"
#include "tree.h"

struct watch {
    struct task task;
    spin_self *self;
    struct source source;
    int notices;  /* the inotify descriptor; -1 before the begin */
    char *parent; /* the folder that has the watched path; NULL for a path such as `.` without one */
    struct route route;
    int is_recursive, emits_present;
    int has_lost;           /* whether the kernel has lost notices */
    int has_turned;         /* whether the route may be another one */
    int has_gone;           /* whether the route leads to another folder than at first */
    int has_warned;         /* of names that are left out, */
    int has_warned_of_long; /* and of paths */
    spin_duration settling;
    int64_t alarm;   /* when the next timer is due; INT64_MAX without one */
    uint32_t cookie; /* of the last path that was moved away, */
    char *moved;     /* and that path */
    struct tree tree;
    struct outbox outbox;
    char path[];
};

/* The path of a node as the app knows it, which the caller frees; NULL without memory. */
char *watch_path(const struct watch *watch, const char *below);

/* Fails the call. All of them return 0. */
int watch_fail(struct watch *watch, const char *path, const struct problem *problem);
int watch_fail_memory(struct watch *watch);

/* Writes to the log, once for a watch, that names of a folder are left out as they are not UTF-8. */
void watch_warn(struct watch *watch, const char *folder);

/* Has the watch look at a node when its path has been quiet for the settling time. */
void watch_mark(struct watch *watch, struct node *node);

#endif
