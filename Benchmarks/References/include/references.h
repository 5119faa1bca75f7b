// What a careful C programmer would write by hand for the same job: the other side of each ratio.
#pragma once

#include <stdint.h>

/// Row M1: a closed loop over `struct { int64_t n, limit; }`. Each step takes an event from a ring, stores its payload
/// into the state, and calls `function(n, limit)` through `ffi_call` with pointers to the two fields; the result is the
/// next event. Ends when `n` reaches `limit`, and returns the number of steps.
int64_t reference_manifest_loop(void *function, int64_t limit);

/// The function of an effect, from the constant `spin_effect_NAME` that its plugin exports.
void *reference_effect_function(const void *constant);
