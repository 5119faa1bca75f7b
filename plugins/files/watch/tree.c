#include "tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first place whose path is not before this one.
static size_t place_of(const struct tree *tree, const char *path) {
    size_t low = 0, high = tree->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(tree->nodes[middle]->path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The first place whose number is not below this one.
static size_t place_of_number(const struct tree *tree, int number) {
    size_t low = 0, high = tree->folder_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->folders[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Puts a node into an array; 0 without memory.
static int insert(struct node ***nodes, size_t *count, size_t *capacity, size_t place, struct node *node) {
    if (*count == *capacity) {
        size_t wanted = *capacity ? *capacity * 2 : 64;
        struct node **grown = realloc(*nodes, wanted * sizeof *grown);
        if (!grown)
            return 0;
        *nodes = grown;
        *capacity = wanted;
    }
    memmove(*nodes + place + 1, *nodes + place, (*count - place) * sizeof **nodes);
    (*nodes)[place] = node;
    ++*count;
    return 1;
}

static void take_out(struct node **nodes, size_t *count, size_t place) {
    --*count;
    memmove(nodes + place, nodes + place + 1, (*count - place) * sizeof *nodes);
}

static void free_node(struct node *node) {
    free(node->path);
    free(node->from);
    free(node);
}

void tree_free(struct tree *tree) {
    for (size_t i = 0; i < tree->count; i++)
        free_node(tree->nodes[i]);
    free(tree->nodes);
    free(tree->folders);
    *tree = (struct tree){0};
}

struct node *tree_find(const struct tree *tree, const char *path) {
    size_t place = place_of(tree, path);
    int is_there = place < tree->count && strcmp(tree->nodes[place]->path, path) == 0;
    return is_there ? tree->nodes[place] : NULL;
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
    if (node->path && insert(&tree->nodes, &tree->count, &tree->capacity, place_of(tree, path), node))
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

void tree_remove(struct tree *tree, struct node *node) {
    tree_unmark(tree, node);
    tree_set_number(tree, node, -1);
    take_out(tree->nodes, &tree->count, place_of(tree, node->path));
    free_node(node);
}

void tree_below(const struct tree *tree, const struct node *node, size_t *first, size_t *end) {
    size_t size = strlen(node->path);
    if (size == 0) { // All others are below the watched path.
        *first = tree->count > 0 && !tree->nodes[0]->path[0];
        *end = tree->count;
        return;
    }
    // Paths below it continue with a slash. A name such as `a-b` comes between `a` and `a/b`.
    size_t low = place_of(tree, node->path);
    while (low < tree->count && (strncmp(tree->nodes[low]->path, node->path, size) == 0 &&
                                 (unsigned char)tree->nodes[low]->path[size] < '/'))
        low++;
    *first = *end = low;
    while (*end < tree->count && strncmp(tree->nodes[*end]->path, node->path, size) == 0 &&
           tree->nodes[*end]->path[size] == '/')
        ++*end;
}

static int by_path(const void *left, const void *right) {
    return strcmp((*(struct node *const *)left)->path, (*(struct node *const *)right)->path);
}

int tree_move(struct tree *tree, struct node *node, const char *path) {
    size_t first, end, size = strlen(node->path), new_size = strlen(path);
    int is_done = 1;
    tree_below(tree, node, &first, &end);
    for (size_t i = first; i <= end && is_done; i++) {
        struct node *moved = i < end ? tree->nodes[i] : node;
        size_t rest = strlen(moved->path + size) + 1;
        char *next = malloc(new_size + rest);
        is_done = next != NULL;
        if (!is_done)
            break;
        memcpy(next, path, new_size);
        memcpy(next + new_size, moved->path + size, rest);
        free(moved->path);
        moved->path = next;
    }
    qsort(tree->nodes, tree->count, sizeof *tree->nodes, by_path);
    return is_done;
}

int tree_set_number(struct tree *tree, struct node *node, int number) {
    if (node->number == number)
        return 1;
    if (node->number >= 0)
        take_out(tree->folders, &tree->folder_count, place_of_number(tree, node->number));
    node->number = -1;
    if (number < 0)
        return 1;
    struct node *other = tree_numbered(tree, number);
    if (other) // The same folder at two places, such as by a mount: the last one has the number.
        tree_set_number(tree, other, -1);
    if (!insert(&tree->folders, &tree->folder_count, &tree->folder_capacity, place_of_number(tree, number),
                node))
        return 0;
    node->number = number;
    return 1;
}

struct node *tree_numbered(const struct tree *tree, int number) {
    size_t place = place_of_number(tree, number);
    int is_there = place < tree->folder_count && tree->folders[place]->number == number;
    return is_there ? tree->folders[place] : NULL;
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
