// What a watch knows of its path, and of what is below it: a node for each file and folder, sorted by path.
#ifndef FILES_TREE_H
#define FILES_TREE_H

#include "../files.h"
#include "nodes.h"
#include <sys/stat.h>

struct node {
    char *path;         /* below the watched path, and "" for that itself */
    int is_known;       /* whether it was there when the watch looked last */
    int is_written;     /* whether it was written to since then */
    struct stat status; /* what it was then */
    int number;         /* of the folder for inotify; -1 if it is not watched */
    char *from;         /* the path that it had before somebody moved it here; or NULL */
    int64_t due;        /* when to look at it, as spin_monotonic counts; INT64_MAX: it is not marked */
    struct node *before, *after; /* those that are marked */
};

struct tree {
    struct nodes nodes;        /* sorted by path */
    struct nodes folders;      /* those with a number, sorted by that */
    size_t known_count;        /* of the nodes that are known */
    struct node *first, *last; /* the nodes that are marked, in the order of their times */
};

void tree_free(struct tree *tree);

/* The node of a path, or NULL. */
struct node *tree_find(const struct tree *tree, const char *path);

/* The same, with a new node where there was no node. NULL without memory. */
struct node *tree_take(struct tree *tree, const char *path);

/* The same for a name in the folder of a node. */
struct node *tree_take_below(struct tree *tree, const struct node *folder, const char *name);

/* Says whether a node is known. */
void tree_set_known(struct tree *tree, struct node *node, int is_known);

/* Removes a node, or all nodes below one. */
void tree_remove(struct tree *tree, struct node *node);
void tree_remove_below(struct tree *tree, const struct node *node);

/* Where the nodes below a node are: their first place, and the one behind the last. */
void tree_below(const struct tree *tree, const struct node *node, size_t *first, size_t *end);

/* Gives a node another path, and those below it. There must be no nodes yet at and below the new path. 0 without
 * memory: the tree can only be freed then. */
int tree_move(struct tree *tree, struct node *node, const char *path);

/* Gives a node its number; 0 without memory. Nothing else has the number then. With -1 it has none. */
int tree_set_number(struct tree *tree, struct node *node, int number);

/* The node with a number, or NULL. */
struct node *tree_numbered(const struct tree *tree, int number);

/* Marks a node, so that the watch looks at it at this time. The times of marks never go back. */
void tree_mark(struct tree *tree, struct node *node, int64_t due);
void tree_unmark(struct tree *tree, struct node *node);

#endif
