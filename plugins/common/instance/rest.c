#include "rest.h"
#include <string.h>

const void *rest_take(struct rest *rest, uint64_t size) {
    const uint8_t *data = rest->data;
    if (size > rest->size)
        return NULL;
    rest->data += size;
    rest->size -= (size_t)size;
    return data;
}

int rest_copy(struct rest *rest, void *to, size_t size) {
    const void *data = rest_take(rest, size);
    if (data)
        memcpy(to, data, size);
    return data != NULL;
}
