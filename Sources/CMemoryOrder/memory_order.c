#define _GNU_SOURCE
#include "memory_order.h"

#if defined(__linux__)

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <sys/single_threaded.h>
#define SINGLE_THREADED __libc_single_threaded
#else
#define SINGLE_THREADED false
#endif

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

static bool make_ready(void) { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }

bool memory_order_has_process(void) {
    const long wanted = MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
    const long commands = membarrier(MEMBARRIER_CMD_QUERY);
    if (commands < 0 || (commands & wanted) != wanted) {
        return false;
    }
    return SINGLE_THREADED ? make_ready() : true;
}

bool memory_order_process(void) {
    return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0 ||
           (make_ready() && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0);
}

void memory_order_sleep(void *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void memory_order_wake(void *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

#else

bool memory_order_has_process(void) { return false; }

bool memory_order_process(void) { return false; }

#endif
