// The folders and links that the watched path leads through. The kernel tells when one of them goes, is moved or is
// another one, so that a watch never waits at a place that its path does not reach any more.
#ifndef FILES_ROUTE_H
#define FILES_ROUTE_H

#include "../files.h"
#include <stddef.h>
#include <sys/inotify.h>
#include <sys/stat.h>

struct watch;

struct step {
    int number; /* for inotify */
    char *name; /* the name in the folder that the path continues with, if its notices count; or NULL */
};

/* A zeroed one leads nowhere. */
struct route {
    struct step *steps;
    size_t count, capacity;
    int is_found;      /* whether it leads to the folder that has the path, */
    struct stat place; /* and that folder; the path itself if that ends without a name */
};

/* Adds a step; 0 without memory. */
int route_add(struct route *route, int number, const char *name);

/* Whether both are the same folder or link. */
int route_is_same(const struct stat *left, const struct stat *right);

/* Finds the route, at first or again. Sets `has_gone` if it leads to another folder than before. 0 if the call has
 * failed. */
int route_find(struct watch *watch);

/* Whether the route needs the notices with this number. */
int route_uses(const struct route *route, int number);

/* Takes a notice: the route may be another one by now, and something new may be at its end. */
void route_take(struct watch *watch, const struct inotify_event *event, const char *name);

void route_free(struct route *route);

#endif
