#define _GNU_SOURCE
#include "references.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PLACES = 256, ROUNDS = 600 };

struct message {
    uint64_t number;
    int64_t value;
};

struct ring {
    _Alignas(64) _Atomic(uint64_t) tail;
    _Alignas(64) _Atomic(uint64_t) head;
    _Alignas(64) _Atomic(uint32_t) asleep;
    _Alignas(64) struct message messages[PLACES];
};

static void ring_send(struct ring *ring, struct message message) {
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    while (tail - atomic_load_explicit(&ring->head, memory_order_acquire) == PLACES)
        ;
    ring->messages[tail % PLACES] = message;
    atomic_store(&ring->tail, tail + 1);
    if (atomic_load(&ring->asleep) != 0 && atomic_exchange(&ring->asleep, 0) != 0)
        syscall(SYS_futex, &ring->asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static struct message ring_receive(struct ring *ring) {
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    for (int round = 0; atomic_load_explicit(&ring->tail, memory_order_acquire) == head; round++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
        if (round < ROUNDS)
            continue;
        atomic_store(&ring->asleep, 1);
        if (atomic_load(&ring->tail) == head)
            syscall(SYS_futex, &ring->asleep, FUTEX_WAIT, 1, NULL, NULL, 0);
        round = 0;
    }
    struct message message = ring->messages[head % PLACES];
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return message;
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int64_t reference_ring(int64_t calls, int64_t batch, int64_t (*function)(int64_t), uint32_t *times) {
    struct ring *rings =
        mmap(NULL, 2 * sizeof(struct ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rings == MAP_FAILED)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            struct message message = ring_receive(&rings[0]);
            message.value = function(message.value);
            ring_send(&rings[1], message);
        }
    }
    int64_t value = -1;
    if (child > 0) {
        value = 0;
        /* The child must run before the time of its first call counts. */
        ring_send(&rings[0], (struct message){0, 0});
        ring_receive(&rings[1]);
        uint64_t start = nanoseconds();
        for (int64_t call = 0; call < calls; call += batch) {
            uint64_t before = times ? nanoseconds() : 0;
            for (int64_t index = 0; index < batch; index++)
                ring_send(&rings[0], (struct message){(uint64_t)(call + index), value + index});
            for (int64_t index = 0; index < batch; index++) {
                struct message answer = ring_receive(&rings[1]);
                if (index == batch - 1)
                    value = answer.value;
            }
            if (times)
                times[call / batch] = (uint32_t)(nanoseconds() - before);
        }
        uint64_t time = nanoseconds() - start;
        value = value == calls ? (int64_t)time : -1;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    munmap(rings, 2 * sizeof(struct ring));
    return value;
}
