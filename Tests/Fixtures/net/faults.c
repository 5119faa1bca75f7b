#include "faults.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
ssize_t __real_send(int socket, const void *data, size_t size, int flags);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
ssize_t __wrap_send(int socket, const void *data, size_t size, int flags);

static atomic_int failing_sends, send_error;
static atomic_int left = -1; /* allocations before the one that fails; -1 if all of them succeed */

void fail_sends(int count, int error) {
    atomic_store(&send_error, error);
    atomic_store(&failing_sends, count);
}

ssize_t __wrap_send(int socket, const void *data, size_t size, int flags) {
    if (atomic_load(&failing_sends) == 0)
        return __real_send(socket, data, size, flags);
    atomic_fetch_sub(&failing_sends, 1);
    errno = atomic_load(&send_error);
    return -1;
}

void fail_allocation(int after) { atomic_store(&left, after); }

int has_failed(void) { return atomic_load(&left) < 0; }

static int fails(void) {
    for (int before = atomic_load(&left); before >= 0;)
        if (atomic_compare_exchange_weak(&left, &before, before - 1))
            return before == 0;
    return 0;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return fails() ? NULL : __real_realloc(memory, size); }
