#define _GNU_SOURCE
#include "include/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Each side writes lines of its own, so that a write of one takes no line from the other that it does not need. */
struct ring_control {
    _Alignas(64) _Atomic(uint64_t) tail;
    _Alignas(64) _Atomic(uint64_t) head;
    /* 1 while a reader sleeps, or is about to. */
    _Alignas(64) _Atomic(uint32_t) asleep;
    _Atomic(uint32_t) bell;
    /* 1 while the writer waits for room. */
    _Alignas(64) _Atomic(uint32_t) crowded;
    _Atomic(uint32_t) room;
};

struct ring_answer {
    _Alignas(64) _Atomic(uint32_t) state;
    int32_t status;
    uint64_t word;
};

enum { ANSWER_PENDING, ANSWER_THERE, ANSWER_SLEEPING };

struct ring_memory {
    struct ring_control controls[2];
    struct ring_answer answers[RING_ANSWERS];
    _Alignas(4096) unsigned char data[2][RING_CAPACITY];
};

/* The head of each message, 8 bytes: its size, then its kind. If the size is AGAIN, the next message is at the start of
 * the ring. */
#define HEAD sizeof(uint64_t)
#define AGAIN UINT32_MAX
/* From this place on a message goes to the start if that is free. */
#define SOFT ((size_t)1 << 18)
/* Pages beyond this place are given back once the ring is empty. */
#define KEPT ((size_t)1 << 22)

static size_t padded(size_t size) { return (size + 7) & ~(size_t)7; }

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static long futex(const void *word, int operation, uint32_t value, const struct timespec *limit) {
    return syscall(SYS_futex, word, operation, value, limit, NULL, 0);
}

static void wait_while(const void *word, uint32_t value, int64_t nanoseconds, int operation) {
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    futex(word, operation, value, nanoseconds < 0 ? NULL : &limit);
}

uint32_t ring_bell_rings(const ring_bell *bell) { return __atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST); }

void ring_bell_wait(const ring_bell *bell, uint32_t rings, int64_t nanoseconds) {
    wait_while(&bell->rings, rings, nanoseconds, FUTEX_WAIT_PRIVATE);
}

void ring_bell_ring(ring_bell *bell, int count) {
    __atomic_fetch_add(&bell->rings, 1, __ATOMIC_SEQ_CST);
    futex(&bell->rings, FUTEX_WAKE_PRIVATE, (uint32_t)count, NULL);
}

int ring_memory_create(void) {
    /* MFD_NOEXEC_SEAL: no program can be made of it. Kernels before 6.3 do not know that. */
    unsigned noexec = 8;
    int file = memfd_create("spinhost-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING | noexec);
    if (file < 0 && errno == EINVAL)
        file = memfd_create("spinhost-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return -1;
    /* The other side cannot make the file shorter, which would end this process with SIGBUS. */
    if (ftruncate(file, sizeof(struct ring_memory)) != 0 ||
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

ring_memory *ring_memory_map(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return NULL;
    if (status.st_size != (off_t)sizeof(struct ring_memory)) {
        errno = EINVAL;
        return NULL;
    }
    void *memory = mmap(NULL, sizeof(struct ring_memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                        descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void ring_scribble(ring_memory *memory, size_t offset, const void *bytes, size_t size) {
    if (offset < sizeof(struct ring_memory))
        memcpy((unsigned char *)memory + offset, bytes,
               size < sizeof(struct ring_memory) - offset ? size : sizeof(struct ring_memory) - offset);
}

void ring_memory_unmap(ring_memory *memory) { munmap(memory, sizeof(struct ring_memory)); }

ring_writer ring_writer_of(ring_memory *memory, int number) {
    ring_writer writer = {&memory->controls[number], memory->data[number], 0, 0, 0};
    return writer;
}

ring_reader ring_reader_of(ring_memory *memory, int number) {
    ring_reader reader = {&memory->controls[number], memory->data[number], 0, 0};
    return reader;
}

/* Whether the ring has room up to a position. An impossible position of the reader is ignored: the writer then waits. */
static bool has_room(ring_writer *writer, uint64_t end) {
    if (end - writer->head <= RING_CAPACITY)
        return true;
    uint64_t head = atomic_load_explicit(&writer->control->head, memory_order_acquire);
    if (head < writer->head || head > writer->tail)
        return false;
    __atomic_store_n(&writer->head, head, __ATOMIC_RELAXED);
    return end - head <= RING_CAPACITY;
}

static uint64_t head_of(uint32_t size, uint32_t kind) { return (uint64_t)kind << 32 | size; }

static void put_head(ring_writer *writer, uint64_t position, uint64_t head) {
    memcpy(writer->data + position % RING_CAPACITY, &head, HEAD);
}

/* Gives pages back that a long message has touched, when nothing is in the ring. */
static void trim(ring_writer *writer) {
    if (writer->highest <= KEPT)
        return;
    if (atomic_load_explicit(&writer->control->head, memory_order_acquire) != writer->tail)
        return;
    madvise(writer->data + KEPT, RING_CAPACITY - KEPT, MADV_REMOVE);
    writer->highest = 0;
}

unsigned char *ring_reserve(ring_writer *writer, size_t size, size_t spare) {
    if (size > RING_MOST)
        return NULL;
    size_t need = HEAD + padded(size), place = writer->tail % RING_CAPACITY, left = RING_CAPACITY - place;
    uint64_t start = writer->tail + left;
    /* The mark fits, because messages end at multiples of 8 before the end of the ring. */
    if (place > 0 && (need > left || place + need > SOFT) && has_room(writer, start + need + spare)) {
        /* Before the mark is written, which may lie on a page that is given back. */
        trim(writer);
        put_head(writer, writer->tail, head_of(AGAIN, 0));
        writer->tail = start;
        return writer->data + HEAD;
    }
    if (need > left || !has_room(writer, writer->tail + need + spare))
        return NULL;
    return writer->data + place + HEAD;
}

void ring_publish(ring_writer *writer, uint32_t kind, size_t size) {
    put_head(writer, writer->tail, head_of((uint32_t)size, kind));
    size_t end = writer->tail % RING_CAPACITY + HEAD + padded(size);
    if (end > writer->highest)
        writer->highest = end;
    writer->tail += HEAD + padded(size);
    struct ring_control *control = writer->control;
    /* Sequentially consistent, as the reader says that it sleeps and then looks again. */
    atomic_store(&control->tail, writer->tail);
    if (atomic_load(&control->asleep) != 0 && atomic_exchange(&control->asleep, 0) != 0) {
        atomic_fetch_add(&control->bell, 1);
        futex(&control->bell, FUTEX_WAKE, INT_MAX, NULL);
    }
}

void ring_wait_for_room(ring_writer *writer, int64_t nanoseconds) {
    struct ring_control *control = writer->control;
    uint32_t room = atomic_load(&control->room);
    atomic_store(&control->crowded, 1);
    if (atomic_load(&control->head) == __atomic_load_n(&writer->head, __ATOMIC_RELAXED))
        wait_while(&control->room, room, nanoseconds, FUTEX_WAIT);
    atomic_store(&control->crowded, 0);
}

int ring_read(ring_reader *reader, uint32_t *kind, const unsigned char **bytes, size_t *size) {
    uint64_t tail = atomic_load_explicit(&reader->control->tail, memory_order_acquire);
    for (;;) {
        uint64_t there = tail - reader->head;
        if (there == 0)
            return RING_EMPTY;
        if (there > RING_CAPACITY || (there & 7) != 0)
            return RING_DAMAGED;
        size_t place = reader->head % RING_CAPACITY, left = RING_CAPACITY - place;
        uint64_t head = __atomic_load_n((const uint64_t *)(reader->data + place), __ATOMIC_RELAXED);
        uint32_t count = (uint32_t)head;
        if (count == AGAIN) {
            if (place == 0 || left > there)
                return RING_DAMAGED;
            reader->head += left;
            continue;
        }
        size_t need = HEAD + padded(count);
        if (count > RING_MOST || need > left || need > there)
            return RING_DAMAGED;
        *kind = (uint32_t)(head >> 32);
        *bytes = reader->data + place + HEAD;
        *size = count;
        reader->next = reader->head + need;
        return RING_MESSAGE;
    }
}

void ring_consume(ring_reader *reader) {
    struct ring_control *control = reader->control;
    reader->head = reader->next;
    atomic_store_explicit(&control->head, reader->head, memory_order_release);
    if (atomic_load_explicit(&control->crowded, memory_order_relaxed) != 0) {
        atomic_fetch_add(&control->room, 1);
        futex(&control->room, FUTEX_WAKE, INT_MAX, NULL);
    }
}

bool ring_has_message(const ring_reader *reader) {
    uint64_t head = __atomic_load_n(&reader->head, __ATOMIC_RELAXED);
    /* Sequentially consistent, as a reader that is about to sleep has said so before. */
    return atomic_load(&reader->control->tail) != head;
}

bool ring_spin(const ring_reader *reader, uint32_t rounds) {
    for (uint32_t round = 0; round < rounds; round++) {
        if (ring_has_message(reader))
            return true;
        pause_briefly();
    }
    return ring_has_message(reader);
}

void ring_sleep(const ring_reader *reader) {
    struct ring_control *control = reader->control;
    uint32_t bell = atomic_load(&control->bell);
    atomic_store(&control->asleep, 1);
    if (ring_has_message(reader)) {
        atomic_store(&control->asleep, 0);
        return;
    }
    wait_while(&control->bell, bell, -1, FUTEX_WAIT);
}

void ring_take_over(const ring_reader *reader) {
    /* Mostly a look only, which leaves the line with the writer. */
    if (atomic_load(&reader->control->asleep) != 0)
        atomic_store(&reader->control->asleep, 0);
}

void ring_hand_back(const ring_reader *reader) {
    atomic_store(&reader->control->asleep, 1);
    if (ring_has_message(reader))
        ring_ring(reader);
}

void ring_ring(const ring_reader *reader) {
    atomic_fetch_add(&reader->control->bell, 1);
    futex(&reader->control->bell, FUTEX_WAKE, INT_MAX, NULL);
}

void ring_expect(ring_memory *memory, uint32_t place) {
    atomic_store_explicit(&memory->answers[place].state, ANSWER_PENDING, memory_order_relaxed);
}

void ring_answer(ring_memory *memory, uint32_t place, int32_t status, uint64_t word) {
    struct ring_answer *answer = &memory->answers[place];
    answer->status = status;
    answer->word = word;
    if (atomic_exchange(&answer->state, ANSWER_THERE) == ANSWER_SLEEPING)
        futex(&answer->state, FUTEX_WAKE, INT_MAX, NULL);
}

int32_t ring_await(ring_memory *memory, uint32_t place, uint32_t rounds, uint64_t *word) {
    struct ring_answer *answer = &memory->answers[place];
    for (uint32_t round = 0; round < rounds; round++) {
        if (atomic_load_explicit(&answer->state, memory_order_acquire) == ANSWER_THERE)
            break;
        pause_briefly();
    }
    uint32_t state = ANSWER_PENDING;
    while (!atomic_compare_exchange_strong(&answer->state, &state, ANSWER_SLEEPING) && state != ANSWER_THERE)
        state = ANSWER_PENDING;
    while (atomic_load_explicit(&answer->state, memory_order_acquire) != ANSWER_THERE)
        wait_while(&answer->state, ANSWER_SLEEPING, -1, FUTEX_WAIT);
    *word = answer->word;
    return answer->status;
}
