// Order between the memory accesses of two threads of which one pays for both (membarrier(2)), and sleep until
// another thread has changed a word (futex(2)).
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// Keeps the compiler from moving memory accesses across it; takes no instruction. From any thread.
static inline void memory_order_compiler(void) { atomic_signal_fence(memory_order_seq_cst); }

/// Whether the system has `memory_order_process`; a system call, or two. From any thread, best while there is only one: to make
/// ready for it is free then.
bool memory_order_has_process(void);

/// Once this returns true, each other thread of the process has passed a full memory barrier since it was called, in the middle of
/// whatever it does; false: the system refuses. The first call in a process that was not made ready takes some 15 ms, later ones
/// 10 us while other threads run, else less than 1 us. From any thread.
bool memory_order_process(void);

/// Tells the processor that this thread waits for a short time. From any thread.
static inline void memory_order_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/// Sleeps while the word has the value, until a thread wakes it; it may also return for no reason. Linux only.
void memory_order_sleep(void *word, uint32_t value);

/// Wakes one thread that sleeps on the word, which may be freed meanwhile. Linux only.
void memory_order_wake(void *word);
