// What a careful C programmer would write by hand for the same job: the other side of each ratio.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Rows M1 and M2: a closed loop over `struct { int64_t n, limit; }`. Each step takes an event from a ring, stores its payload
/// into the state, and calls `function(n, limit)` through `ffi_call` with pointers to the two fields; the result is the
/// next event. Ends when `n` reaches `limit`, and returns the number of steps.
int64_t reference_manifest_loop(void *function, int64_t limit);

/// Row M3: calls `function(from, limit)` through `ffi_call` so many times, each with what the last one answered, from 0
/// on; answers the last result.
int64_t reference_calls(void *function, int64_t limit);

/// Row M4: two threads hand a number to and fro with one mutex and a condition variable each, until it was counted up to
/// `turns` by the second of them; answers it.
int64_t reference_hand_over(int64_t turns);

/// The function of an effect, from the constant `spin_effect_NAME` that its plugin exports.
void *reference_effect_function(const void *constant);

/// Rows S1 and S2: copies a library to `place`, opens the copy, calls the effect of that constant once, closes and removes it;
/// answers what the effect did, or -1.
int64_t reference_reload(const char *library, const char *place, const char *constant, int64_t from,
                         int64_t to);

/// Row E1: the records that the expression reads.
struct reference_expression_state {
    int64_t a;
    bool off;
};
struct reference_expression_event {
    int64_t b;
};

/// `state.a * 2 + event.b > 10 && !state.off`, in a file of its own, so that its callers cannot look into it.
bool reference_expression(const struct reference_expression_state *state,
                          const struct reference_expression_event *event);

/// Asks `function` so many times, with `a` from 0 to 7 in turn and `b` 3; answers how often it held.
int64_t reference_expression_loop(bool (*function)(const struct reference_expression_state *,
                                                   const struct reference_expression_event *),
                                  int64_t count);
