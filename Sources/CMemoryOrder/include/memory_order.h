// Order between the memory accesses of two threads of which one pays for both (membarrier(2)).
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

/// Keeps the compiler from moving memory accesses across it; takes no instruction. From any thread.
static inline void memory_order_compiler(void) { atomic_signal_fence(memory_order_seq_cst); }

/// Whether the system has `memory_order_process`; a system call, or two. From any thread, best while there is only one: to make
/// ready for it is free then.
bool memory_order_has_process(void);

/// Once this returns true, each other thread of the process has passed a full memory barrier since it was called, in the middle of
/// whatever it does; false: the system refuses. The first call in a process that was not made ready takes some 15 ms, later ones
/// 10 us while other threads run, else less than 1 us. From any thread.
bool memory_order_process(void);
