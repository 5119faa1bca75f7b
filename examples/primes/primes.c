/* What the effect of `search.rs` says to the host: the macros are C, so a few lines of C stand beside the Rust. */
#include <spinhost/plugin.h>

SPIN_PLUGIN("primes", "1.0.0");
SPIN_EMITTER(found, (uint64_t, prime));
SPIN_EMITTER(done, (uint64_t, count));

/* Defined in Rust. */
void search(spin_call *call, uint64_t below);
SPIN_EFFECT(void, search, (spin_call * call, uint64_t below), "Emits `found` for each prime below `below`, then `done`.");

/* Called by Rust; what they answer and from which threads they may be called is in the header. */
spin_status primes_found(spin_call *call, uint64_t prime) {
    return spin_wait_found(call, prime, SPIN_FOREVER);
}
spin_status primes_done(spin_call *call, uint64_t count) { return done(call, count); }
spin_status primes_finish(spin_call *call) { return spin_finish(call); }
