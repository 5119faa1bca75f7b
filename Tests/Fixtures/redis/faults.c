#include "faults.h"
#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static atomic_int left = -1, failed;

void fail_allocation(int after) {
    atomic_store(&failed, 0);
    atomic_store(&left, after);
}

int has_failed(void) { return atomic_load(&failed); }

static int fails(void) {
    if (atomic_load(&left) < 0 || atomic_fetch_sub(&left, 1) != 0)
        return 0;
    atomic_store(&failed, 1);
    return 1;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return fails() ? NULL : __real_realloc(memory, size); }
