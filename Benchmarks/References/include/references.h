// The references, one side of each ratio: code that a careful C programmer would write by hand for the same
// job.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Rows M1 and M2: a closed loop over `struct { int64_t n, limit; }`. Each step takes an event from a ring
/// and stores its payload into the state. It then calls `function(n, limit)` through `ffi_call` with pointers
/// to the two fields. The result is the next event. Ends when `n` reaches `limit`, and returns the number of
/// steps.
int64_t reference_manifest_loop(void *function, int64_t limit);

/// Row M3: calls `function(from, limit)` through `ffi_call` `limit` times. `from` is 0 first, then the result
/// of the call before. Returns the last result.
int64_t reference_calls(void *function, int64_t limit);

/// Row M4: two threads pass a number back and forth with one mutex and a condition variable each. The second
/// thread adds one each time, until the number is `turns`. Returns it, or -1 when there is no second thread.
int64_t reference_hand_over(int64_t turns);

/// Row N1: a thread makes a descriptor readable, `epoll_wait` returns, and the thread gets its answer through
/// another descriptor, `turns` times. Returns `turns`, or -1 when there is no thread.
int64_t reference_readiness(int64_t turns);

/// Row N2: copies `size` bytes `count` times. Returns how many copies were right.
int64_t reference_copies(int64_t count, int64_t size);

/// The function of the effect `name` in the table of a plugin, `spin_entry`; NULL if there is none.
void *reference_effect_function(const void *table, const char *name);

/// Rows S1 and S2: copies a library to `place`, opens the copy, calls its effect `name` once,
/// closes the copy and removes it. Returns the effect's result, or -1.
int64_t reference_reload(const char *library, const char *place, const char *name, int64_t from, int64_t to);

/// Row E1: the records that the expression reads.
struct reference_expression_state {
    int64_t a;
    bool off;
};
struct reference_expression_event {
    int64_t b;
};

/// `state.a * 2 + event.b > 10 && !state.off`, in a file of its own, so that the compiler cannot inline it.
bool reference_expression(const struct reference_expression_state *state,
                          const struct reference_expression_event *event);

/// Calls `function` `count` times, with `a` from 0 to 7 in turn and `b` 3. Returns how often it was true.
int64_t reference_expression_loop(bool (*function)(const struct reference_expression_state *,
                                                   const struct reference_expression_event *),
                                  int64_t count);

/// Rows I1 and I2: a process calls `function(n)` in another one, from 0 on with the result of the call before, `batch` calls
/// at a time, through two rings in shared memory. Who waits looks some hundred times, and then sleeps (futex(2)).
///
/// `times` gets the nanoseconds of each batch, if it is not NULL. Returns the nanoseconds of all; -1 when there is no other
/// process.
int64_t reference_ring(int64_t calls, int64_t batch, int64_t (*function)(int64_t), uint32_t *times);
