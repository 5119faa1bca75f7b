// What an instance has not read yet of the bytes that another one has saved.
#ifndef COMMON_REST_H
#define COMMON_REST_H

#include <stddef.h>
#include <stdint.h>

struct rest {
    const uint8_t *data;
    size_t size;
};

/* The next bytes, where they are; NULL if there are fewer. */
const void *rest_take(struct rest *rest, uint64_t size);

/* Copies the next bytes; 0 if there are fewer. */
int rest_copy(struct rest *rest, void *to, size_t size);

#endif
