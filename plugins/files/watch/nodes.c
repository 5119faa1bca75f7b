#include "nodes.h"
#include <stdlib.h>
#include <string.h>

size_t nodes_place(const struct nodes *nodes, int (*is_before)(const struct node *node, const void *key),
                   const void *key) {
    size_t low = 0, high = nodes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(nodes->items[middle], key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int nodes_insert(struct nodes *nodes, size_t place, struct node *const *added, size_t count) {
    if (nodes->capacity - nodes->count < count) {
        size_t wanted = nodes->capacity ? nodes->capacity * 2 : 64;
        if (wanted - nodes->count < count)
            wanted = nodes->count + count;
        struct node **grown = realloc(nodes->items, wanted * sizeof *grown);
        if (!grown)
            return 0;
        nodes->items = grown;
        nodes->capacity = wanted;
    }
    struct node **target = nodes->items + place;
    memmove(target + count, target, (nodes->count - place) * sizeof *target);
    memcpy(target, added, count * sizeof *target);
    nodes->count += count;
    return 1;
}

void nodes_remove(struct nodes *nodes, size_t place, size_t count) {
    nodes->count -= count;
    struct node **target = nodes->items + place;
    memmove(target, target + count, (nodes->count - place) * sizeof *target);
}
