#include "tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_before_path(const struct node *node, const void *key) { return strcmp(node->path, key) < 0; }

static size_t place_of(const struct tree *tree, const char *path) {
    return nodes_place(&tree->nodes, is_before_path, path);
}

static int is_before_number(const struct node *node, const void *key) {
    return node->number < *(const int *)key;
}

static size_t place_of_number(const struct tree *tree, int number) {
    return nodes_place(&tree->folders, is_before_number, &number);
}

/* The paths that begin with this one and this character. */
struct beginning {
    const char *path;
    size_t size;
    unsigned char next;
};

static int is_before_beginning(const struct node *node, const void *key) {
    const struct beginning *beginning = key;
    int order = strncmp(node->path, beginning->path, beginning->size);
    return order < 0 || (order == 0 && (unsigned char)node->path[beginning->size] < beginning->next);
}

static void free_node(struct node *node) {
    free(node->path);
    free(node->from);
    free(node);
}

void tree_free(struct tree *tree) {
    for (size_t i = 0; i < tree->nodes.count; i++)
        free_node(tree->nodes.items[i]);
    free(tree->nodes.items);
    free(tree->folders.items);
    *tree = (struct tree){0};
}

struct node *tree_find(const struct tree *tree, const char *path) {
    size_t place = place_of(tree, path);
    int is_there = place < tree->nodes.count && strcmp(tree->nodes.items[place]->path, path) == 0;
    return is_there ? tree->nodes.items[place] : NULL;
}

struct node *tree_take(struct tree *tree, const char *path) {
    struct node *found = tree_find(tree, path);
    if (found)
        return found;
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->number = -1;
    node->due = INT64_MAX;
    node->path = strdup(path);
    if (node->path && nodes_insert(&tree->nodes, place_of(tree, path), &node, 1))
        return node;
    free_node(node);
    return NULL;
}

struct node *tree_take_below(struct tree *tree, const struct node *folder, const char *name) {
    char *path;
    if (asprintf(&path, "%s%s%s", folder->path, *folder->path ? "/" : "", name) < 0)
        return NULL;
    struct node *node = tree_take(tree, path);
    free(path);
    return node;
}

void tree_set_known(struct tree *tree, struct node *node, int is_known) {
    if (node->is_known != is_known)
        tree->known_count += is_known ? 1 : (size_t)-1;
    node->is_known = is_known;
}

// Frees nodes, after nothing of the tree leads to them but their places.
static void remove_all(struct tree *tree, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        struct node *node = tree->nodes.items[i];
        tree_unmark(tree, node);
        tree_set_number(tree, node, -1);
        tree_set_known(tree, node, 0);
        free_node(node);
    }
    nodes_remove(&tree->nodes, first, count);
}

void tree_remove(struct tree *tree, struct node *node) { remove_all(tree, place_of(tree, node->path), 1); }

void tree_remove_below(struct tree *tree, const struct node *node) {
    size_t first, end;
    tree_below(tree, node, &first, &end);
    remove_all(tree, first, end - first);
}

void tree_below(const struct tree *tree, const struct node *node, size_t *first, size_t *end) {
    size_t size = strlen(node->path);
    if (size == 0) { // All others are below the watched path.
        *first = tree->nodes.count > 0 && !tree->nodes.items[0]->path[0];
        *end = tree->nodes.count;
        return;
    }
    // Paths below it continue with a slash. A name such as `a-b` comes between `a` and `a/b`.
    struct beginning beginning = {node->path, size, '/'};
    *first = nodes_place(&tree->nodes, is_before_beginning, &beginning);
    beginning.next = '/' + 1;
    *end = nodes_place(&tree->nodes, is_before_beginning, &beginning);
}

// Replaces the first `size` bytes of the paths of nodes; 0 without memory.
static int rename_all(struct node **nodes, size_t count, size_t size, const char *path) {
    for (size_t i = 0; i < count; i++) {
        char *next;
        if (asprintf(&next, "%s%s", path, nodes[i]->path + size) < 0)
            return 0;
        free(nodes[i]->path);
        nodes[i]->path = next;
    }
    return 1;
}

int tree_move(struct tree *tree, struct node *node, const char *path) {
    size_t first, end, size = strlen(node->path);
    tree_below(tree, node, &first, &end);
    size_t below = end - first, place = place_of(tree, node->path);
    struct node **moved = malloc((below + 1) * sizeof *moved);
    if (!moved)
        return 0;
    moved[0] = node;
    memcpy(moved + 1, tree->nodes.items + first, below * sizeof *moved);
    int is_done = rename_all(moved, below + 1, size, path);
    if (is_done) {
        nodes_remove(&tree->nodes, first, below);
        nodes_remove(&tree->nodes, place, 1);
        // Those below stay together, and in order. There is memory for as many as before.
        nodes_insert(&tree->nodes, place_of(tree, path), moved, 1);
        if (below > 0)
            nodes_insert(&tree->nodes, place_of(tree, moved[1]->path), moved + 1, below);
    }
    free(moved);
    return is_done;
}

int tree_set_number(struct tree *tree, struct node *node, int number) {
    if (node->number == number)
        return 1;
    if (node->number >= 0)
        nodes_remove(&tree->folders, place_of_number(tree, node->number), 1);
    node->number = -1;
    if (number < 0)
        return 1;
    struct node *other = tree_numbered(tree, number);
    if (other) // The same folder at two places, such as by a mount: the last one has the number.
        tree_set_number(tree, other, -1);
    if (!nodes_insert(&tree->folders, place_of_number(tree, number), &node, 1))
        return 0;
    node->number = number;
    return 1;
}

struct node *tree_numbered(const struct tree *tree, int number) {
    size_t place = place_of_number(tree, number);
    int is_there = place < tree->folders.count && tree->folders.items[place]->number == number;
    return is_there ? tree->folders.items[place] : NULL;
}

void tree_mark(struct tree *tree, struct node *node, int64_t due) {
    tree_unmark(tree, node);
    node->due = due;
    node->before = tree->last;
    if (tree->last)
        tree->last->after = node;
    else
        tree->first = node;
    tree->last = node;
}

void tree_unmark(struct tree *tree, struct node *node) {
    if (node->due == INT64_MAX)
        return;
    if (node->before)
        node->before->after = node->after;
    else
        tree->first = node->after;
    if (node->after)
        node->after->before = node->before;
    else
        tree->last = node->before;
    node->before = node->after = NULL;
    node->due = INT64_MAX;
}
