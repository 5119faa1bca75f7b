// Memory that two processes share: a ring of messages in each direction, and places for short answers.
//
// Neither side trusts the other: each checks every number that it reads from the memory, and a message is
// copied out before it is looked at. Positions count all bytes since the beginning; a position's place in a ring is its
// remainder by the capacity.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The longest message in bytes.
#define RING_MOST ((size_t)1 << 25)
/// The bytes of each ring. Most of them are never touched: a message goes to the start again once 256 KiB are used,
/// if that is free. Wherever the last message has ended, the longest one fits before the end or at the start, with up to
/// 2 MiB less 16 bytes after it.
#define RING_CAPACITY ((size_t)33 << 21)
/// The number of places for answers.
#define RING_ANSWERS 1024

/// The memory of both rings.
typedef struct ring_memory ring_memory;

/// Makes a file of such memory, whose size cannot change, closed in programs that the process starts. Returns its
/// descriptor, or -1 with an `errno`.
int ring_memory_create(void);

/// Maps such a file; NULL with an `errno`, EINVAL if it has another size. The caller may close the descriptor.
ring_memory *ring_memory_map(int descriptor);

/// Writes bytes at an offset of the memory, cut to what fits, as a wild process could.
void ring_scribble(ring_memory *memory, size_t offset, const void *bytes, size_t size);

/// Unmaps it. No other thread may use it.
void ring_memory_unmap(ring_memory *memory);

/// The end of a ring that messages are written to. One thread at a time uses it.
typedef struct ring_writer {
    struct ring_control *control;
    unsigned char *data;
    /// The position of the next message.
    uint64_t tail;
    /// The reader's position when it was last looked at.
    uint64_t head;
    /// The first place, from which on the pages may have content.
    size_t highest;
} ring_writer;

/// The end of a ring that messages are read from. One thread at a time reads; any thread may wait.
typedef struct ring_reader {
    struct ring_control *control;
    const unsigned char *data;
    uint64_t head;
    /// The end of the last message that was read.
    uint64_t next;
} ring_reader;

/// The ends of a ring: number 0 or 1.
ring_writer ring_writer_of(ring_memory *memory, int number);
ring_reader ring_reader_of(ring_memory *memory, int number);

/// Where a message of `size` bytes is to be written; NULL when the ring has no room for it now, with `spare` bytes after
/// it, and for more than RING_MOST bytes. Nothing is visible before `ring_publish`.
unsigned char *ring_reserve(ring_writer *writer, size_t size, size_t spare);

/// Publishes the message of `size` bytes that was written where `ring_reserve` said, and wakes a reader that sleeps.
void ring_publish(ring_writer *writer, uint32_t kind, size_t size);

/// Waits until the reader has read something, at most so many nanoseconds. It can miss a wake, so the limit must be
/// short. From any thread.
void ring_wait_for_room(ring_writer *writer, int64_t nanoseconds);

/// What a look at a ring has found.
enum { RING_EMPTY, RING_MESSAGE, RING_DAMAGED };

/// Finds the next message: its kind, and where it lies until `ring_consume`. The other side may change it meanwhile.
int ring_read(ring_reader *reader, uint32_t *kind, const unsigned char **bytes, size_t *size);

/// Frees the message that was read last.
void ring_consume(ring_reader *reader);

/// Whether something was written that was not read yet. From any thread.
bool ring_has_message(const ring_reader *reader);

/// Looks `rounds` times for a message; true if there is one. From any thread.
bool ring_spin(const ring_reader *reader, uint32_t rounds);

/// Sleeps until a message is written or `ring_ring` is called. It may return earlier. From any thread.
void ring_sleep(const ring_reader *reader);

/// Lets a thread spin in place of the one that sleeps: the writer wakes nobody until `ring_hand_back`. From any thread.
void ring_take_over(const ring_reader *reader);
void ring_hand_back(const ring_reader *reader);

/// Wakes the threads that sleep at this ring. From any thread.
void ring_ring(const ring_reader *reader);

/// Answers the thread that waits at a place: a status and a word.
void ring_answer(ring_memory *memory, uint32_t place, int32_t status, uint64_t word);

/// Prepares a place for the next answer.
void ring_expect(ring_memory *memory, uint32_t place);

/// Waits for the answer: looks `rounds` times first. From any thread.
int32_t ring_await(ring_memory *memory, uint32_t place, uint32_t rounds, uint64_t *word);

/// A number that threads of one process wait for. It must be zero at first.
typedef struct ring_bell {
    uint32_t rings;
} ring_bell;

/// How often it was rung.
uint32_t ring_bell_rings(const ring_bell *bell);

/// Waits until it is rung more often than that, at most so many nanoseconds; negative: for ever. It may return earlier.
void ring_bell_wait(const ring_bell *bell, uint32_t rings, int64_t nanoseconds);

/// Wakes up to `count` threads that wait.
void ring_bell_ring(ring_bell *bell, int count);

#ifdef __cplusplus
}
#endif
