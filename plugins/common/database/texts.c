#include "texts.h"
#include "../../std/utf8.h"
#include <stdlib.h>
#include <string.h>

struct texts_block {
    struct texts_block *next;
    size_t size, capacity;
    char bytes[];
};

static char *reserve(struct texts *texts, size_t size) {
    struct texts_block *block = texts->blocks;
    if (!block || block->capacity - block->size < size) {
        size_t capacity = size > 65536 ? size : 65536;
        block = malloc(sizeof *block + capacity);
        if (!block)
            return NULL;
        *block = (struct texts_block){.next = texts->blocks, .capacity = capacity};
        texts->blocks = block;
    }
    block->size += size;
    return block->bytes + block->size - size;
}

int texts_keep(struct texts *texts, const void *data, size_t size, const char **kept) {
    char *target = reserve(texts, size);
    if (target && size > 0)
        memcpy(target, data, size);
    *kept = target;
    return target != NULL;
}

int texts_keep_repaired(struct texts *texts, const char *data, size_t size, spin_string *kept) {
    if (utf8_valid(data, size) == size) {
        kept->size = size;
        return texts_keep(texts, data, size, &kept->data);
    }
    char *target = reserve(texts, size * UTF8_REPAIRED_GROWTH);
    if (!target)
        return 0;
    *kept = (spin_string){target, utf8_repair(data, size, target)};
    return 1;
}

void texts_free(struct texts *texts) {
    for (struct texts_block *block = texts->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    texts->blocks = NULL;
}
