#include "reply_memory.h"
#include "../../std/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of most blocks, and how many values an answer has memory for without new memory. */
enum { usual_block = 65536, usual_values = 1024 };

struct reply_block {
    struct reply_block *next;
    size_t size, capacity;
    char bytes[];
};

void *reply_refuse(struct reply *reply, const char *why) {
    snprintf(reply->fault, sizeof reply->fault, "%s", why);
    return NULL;
}

void *reply_refuse_size(struct reply *reply) {
    reply->is_too_large = 1;
    snprintf(reply->fault, sizeof reply->fault,
             "an answer is larger than %lld bytes (setting `largest_answer`)", (long long)reply->largest);
    return NULL;
}

int reply_count(struct reply *reply, size_t size) {
    reply->size += 64 + (int64_t)size;
    if (reply->size <= reply->largest)
        return 1;
    reply_refuse_size(reply);
    return 0;
}

int reply_grow(struct reply *reply) {
    if (reply->count < reply->capacity)
        return 1;
    size_t capacity = reply->capacity ? 2 * reply->capacity : 16;
    redis_value *values = realloc(reply->values, capacity * sizeof *values);
    if (values)
        reply->values = values;
    uint8_t *kinds = values ? realloc(reply->kinds, capacity) : NULL;
    if (!kinds)
        return 0;
    reply->kinds = kinds;
    reply->capacity = capacity;
    return 1;
}

static char *reserve(struct reply *reply, size_t size) {
    struct reply_block *block = reply->blocks;
    if (!block || block->capacity - block->size < size) {
        size_t capacity = size > usual_block ? size : usual_block;
        block = malloc(sizeof *block + capacity);
        if (!block)
            return NULL;
        *block = (struct reply_block){.next = reply->blocks, .capacity = capacity};
        reply->blocks = block;
    }
    block->size += size;
    return block->bytes + block->size - size;
}

int reply_keep(struct reply *reply, const char *data, size_t size, redis_value *value) {
    char *bytes = reserve(reply, size + 1);
    if (!bytes)
        return 0;
    if (size > 0)
        memcpy(bytes, data, size);
    bytes[size] = 0;
    value->bytes = (spin_bytes){(const uint8_t *)bytes, size};
    value->text = (spin_string){bytes, size};
    // A text of the server may have any bytes; an emission must be UTF-8.
    if (utf8_valid(bytes, size) == size)
        return 1;
    char *text = reserve(reply, size * UTF8_REPAIRED_GROWTH + 1);
    if (!text)
        return 0;
    value->text = (spin_string){text, utf8_repair(bytes, size, text)};
    text[value->text.size] = 0;
    return 1;
}

void reply_clear(struct reply *reply) {
    reply->count = 0;
    reply->size = 0;
    struct reply_block *kept = NULL;
    for (struct reply_block *block; (block = reply->blocks);) {
        reply->blocks = block->next;
        if (!kept && block->capacity == usual_block)
            kept = block;
        else
            free(block);
    }
    if (kept)
        kept->size = 0, kept->next = NULL;
    reply->blocks = kept;
    if (reply->capacity <= usual_values)
        return;
    free(reply->values);
    free(reply->kinds);
    reply->values = NULL;
    reply->kinds = NULL;
    reply->capacity = 0;
}

void reply_move(struct reply *reply, struct reply *to) {
    struct reply moved = *reply;
    reply->values = to->values;
    reply->kinds = to->kinds;
    reply->capacity = to->capacity;
    reply->blocks = to->blocks;
    reply->count = 0;
    reply->size = 0;
    to->values = moved.values;
    to->kinds = moved.kinds;
    to->count = moved.count;
    to->capacity = moved.capacity;
    to->blocks = moved.blocks;
    to->size = moved.size;
}

void reply_free(struct reply *reply) {
    reply_end(reply);
    reply_clear(reply);
    free(reply->blocks);
    free(reply->values);
    free(reply->kinds);
    *reply = (struct reply){0};
}
