//! An effect in Rust. It returns at once. A thread of its own emits the primes, and waits while the loop is
//! busy.

use spinhost::{Call, FOREVER, OK};

spinhost::plugin!("primes", "1.0.0", search, found, done);
spinhost::emitter!(found(prime: u64));
spinhost::emitter!(done(count: u64));
spinhost::effect!(
    search(call: Call, below: u64) -> (),
    "Emits `found` for each prime below `below`, then `done`."
);

extern "C" fn search(call: Call, below: u64) {
    std::thread::spawn(move || work(call, below));
}

fn work(call: Call, below: u64) {
    let mut primes: Vec<u64> = Vec::new();
    for candidate in 2..below {
        let mut smaller = primes.iter().take_while(|prime| *prime * *prime <= candidate);
        if smaller.all(|prime| candidate % prime != 0) {
            // The host refused it: the call was cancelled, or its loop has stopped.
            if found::wait(call, candidate, FOREVER) != OK {
                return;
            }
            primes.push(candidate);
        }
    }
    done(call, primes.len() as u64);
    call.finish();
}
