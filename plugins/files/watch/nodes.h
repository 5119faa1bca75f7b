// Nodes in an array, sorted by what their owner says.
#ifndef FILES_NODES_H
#define FILES_NODES_H

#include <stddef.h>

struct node;

/* A zeroed one is empty. */
struct nodes {
    struct node **items;
    size_t count, capacity;
};

/* The first place whose node is not before a key. */
size_t nodes_place(const struct nodes *nodes, int (*is_before)(const struct node *node, const void *key),
                   const void *key);

/* Puts nodes at a place; 0 without memory, which is there for as many as were removed. */
int nodes_insert(struct nodes *nodes, size_t place, struct node *const *added, size_t count);

/* Takes nodes from a place. */
void nodes_remove(struct nodes *nodes, size_t place, size_t count);

#endif
