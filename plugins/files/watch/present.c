#include "../files.h"
#include "present.h"
#include "taking.h"
#include <stdlib.h>

/* A folder whose names the watch goes through, within those above it. */
struct level {
    struct node *folder;
    struct names names;
    size_t next;
};

/* The folders down to where the watch is. It calls no function for each, as folders can be as deep as they like. */
struct levels {
    struct level *items;
    size_t count, capacity;
};

// Goes into a folder.
static int enter(struct watch *watch, struct levels *levels, struct node *folder) {
    if (levels->count == levels->capacity) {
        size_t capacity = levels->capacity ? levels->capacity * 2 : 16;
        struct level *grown = realloc(levels->items, capacity * sizeof *grown);
        if (!grown)
            return watch_fail_memory(watch);
        levels->items = grown;
        levels->capacity = capacity;
    }
    struct level *level = &levels->items[levels->count++];
    *level = (struct level){.folder = folder};
    return watch_folder(watch, folder, &level->names);
}

// Takes in what a node's path leads to, and goes into it if it is a folder.
static int take(struct watch *watch, struct levels *levels, struct node *node) {
    struct stat status;
    int is_there = watch_find(watch, node, &status);
    if (is_there == 0 && *node->path)
        tree_remove(&watch->tree, node); // It was there a moment ago.
    if (is_there <= 0)
        return is_there == 0;
    return take_in(watch, node, &status) &&
           (!watch->emits_present || watch_report(watch, REPORT_PRESENT, node, NULL)) &&
           (!is_to_be_watched(watch, node) || enter(watch, levels, node));
}

// Takes the next name, or leaves the folder after the last one.
static int take_next(struct watch *watch, struct levels *levels) {
    struct level *level = &levels->items[levels->count - 1];
    if (level->next == level->names.count) {
        names_free(&level->names);
        levels->count--;
        return 1;
    }
    struct node *node = tree_take_below(&watch->tree, level->folder, level->names.names[level->next++]);
    return node ? take(watch, levels, node) : watch_fail_memory(watch);
}

int take_present(struct watch *watch) {
    struct levels levels = {0};
    struct node *first = tree_take(&watch->tree, "");
    int is_done = first ? take(watch, &levels, first) : watch_fail_memory(watch);
    while (is_done && levels.count > 0)
        is_done = take_next(watch, &levels);
    while (levels.count > 0)
        names_free(&levels.items[--levels.count].names);
    free(levels.items);
    return is_done;
}
