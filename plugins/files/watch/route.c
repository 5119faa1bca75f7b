#include "route.h"
#include "notices.h"
#include "walk.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void route_free(struct route *route) {
    for (size_t i = 0; i < route->count; i++)
        free(route->steps[i].name);
    free(route->steps);
    *route = (struct route){0};
}

int route_add(struct route *route, int number, const char *name) {
    if (route->count == route->capacity) {
        size_t capacity = route->capacity ? route->capacity * 2 : 8;
        struct step *grown = realloc(route->steps, capacity * sizeof *grown);
        if (!grown)
            return 0;
        route->steps = grown;
        route->capacity = capacity;
    }
    char *copy = name ? strdup(name) : NULL;
    if (name && !copy)
        return 0;
    route->steps[route->count++] = (struct step){number, copy};
    return 1;
}

int route_is_same(const struct stat *left, const struct stat *right) {
    return left->st_ino == right->st_ino && left->st_dev == right->st_dev;
}

int route_find(struct watch *watch) {
    struct route next = {0}, before = watch->route;
    struct problem problem;
    int is_done = walk(watch, &next, &problem);
    if (!is_done && problem.error == EACCES)
        problem_set(&problem, EACCES, "a watch must read the folder that has the path, and the app may not");
    if (!is_done || (!next.is_found && !before.is_found)) {
        route_free(&next);
        return watch_fail(watch, watch->parent ? watch->parent : watch->path, &problem);
    }
    watch->has_gone = before.is_found && !(next.is_found && route_is_same(&before.place, &next.place));
    watch->route = next;
    for (size_t i = 0; i < before.count; i++)
        notices_drop(watch, before.steps[i].number);
    route_free(&before);
    return 1;
}

int route_uses(const struct route *route, int number) {
    for (size_t i = 0; i < route->count; i++)
        if (route->steps[i].number == number)
            return 1;
    return 0;
}

void route_take(struct watch *watch, const struct inotify_event *event, const char *name) {
    for (size_t i = 0; i < watch->route.count; i++) {
        const struct step *step = &watch->route.steps[i];
        if (step->number != event->wd)
            continue;
        if (event->len == 0) // It is about the folder or the link itself.
            watch->has_turned = 1;
        else if (step->name && strcmp(step->name, name) == 0) {
            struct node *watched = watch->tree.nodes.items[0];
            watch->has_turned |= (event->mask & notices_mask(NOTICES_NAMES)) != 0;
            watched->is_written |= (event->mask & IN_MODIFY) != 0;
            watch_mark(watch, watched);
        }
    }
}
