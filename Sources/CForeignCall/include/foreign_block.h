// Counted blocks of memory, which a record's strings, bytes and lists point to. The maker of a block writes
// it once. Records and threads share it then: a copy of a record retains the blocks and does not copy them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct foreign_block {
    size_t references;
    size_t size;
} foreign_block;

_Static_assert(sizeof(foreign_block) % 16 == 0, "payload is aligned as malloc aligns");

/// A NUL byte, aligned for any type. It is one object for the whole process, and therefore no static of an
/// inline function.
extern const char foreign_block_nothing[16];

/// The payload of the one empty block, never counted or freed.
static inline const void *foreign_block_empty(void) { return foreign_block_nothing; }

/// Makes a block with one reference and `size` bytes of uninitialised payload. Returns the payload's address,
/// aligned to 16; NULL when memory is exhausted.
static inline void *foreign_block_try_create(size_t size) {
    foreign_block *block = (foreign_block *)malloc(sizeof(foreign_block) + size);
    if (block == NULL) {
        return NULL;
    }
    block->references = 1;
    block->size = size;
    return block + 1;
}

/// The same, but aborts when memory is exhausted, as Swift's own allocation does.
static inline void *foreign_block_create(size_t size) {
    void *payload = foreign_block_try_create(size);
    if (payload == NULL) {
        abort();
    }
    return payload;
}

/// The size of a block's payload in bytes.
static inline size_t foreign_block_size(const void *payload) {
    return payload == foreign_block_empty() ? 0 : ((const foreign_block *)payload - 1)->size;
}

/// Adds a reference to the block of `payload`.
static inline void foreign_block_retain(const void *payload) {
    if (payload != foreign_block_empty()) {
        __atomic_fetch_add(&((foreign_block *)payload - 1)->references, 1, __ATOMIC_RELAXED);
    }
}

/// Removes a reference. Returns true when it was the last one: the caller then releases the blocks that the
/// payload refers to and calls `foreign_block_free`.
static inline bool foreign_block_release(const void *payload) {
    return payload != foreign_block_empty() &&
           __atomic_fetch_sub(&((foreign_block *)payload - 1)->references, 1, __ATOMIC_ACQ_REL) == 1;
}

/// Frees a block whose last reference was released.
static inline void foreign_block_free(const void *payload) { free((foreign_block *)payload - 1); }
