/* Describes the effect of `search.rs` to the host. The macros are C, so the Rust needs these lines of C. */
#include <spinhost/plugin.h>

SPIN_PLUGIN("primes", "1.0.0");
SPIN_EMITTER(found, (uint64_t, prime));
SPIN_EMITTER(done, (uint64_t, count));

/* Defined in Rust. */
void search(spin_call *call, uint64_t below);
SPIN_EFFECT(void, search, (spin_call * call, uint64_t below), "Emits `found` for each prime below `below`, then `done`.");

/* Rust calls these. The header says what they return and which threads may call them. */
spin_status primes_found(spin_call *call, uint64_t prime) {
    return spin_wait_found(call, prime, SPIN_FOREVER);
}
spin_status primes_done(spin_call *call, uint64_t count) { return done(call, count); }
spin_status primes_finish(spin_call *call) { return spin_finish(call); }
