//! An effect in Rust. It returns at once. A thread of its own emits the primes, and waits while the loop is
//! busy.

use spinhost::Call;

spinhost::plugin!("primes", "1.0.0", search, found, done);
spinhost::emitter!(found(prime: u64));
spinhost::emitter!(done(count: u64));

spinhost::effect! {
    /// Emits `found` for each prime below `below`, then `done`.
    fn search(call: Call, below: u64) {
        std::thread::spawn(move || {
            // The host refuses events of a call that was cancelled, or whose loop has stopped.
            if let Ok(count) = find(call, below) {
                let _ = done(call, count).and_then(|()| call.finish());
            }
        });
    }
}

fn find(call: Call, below: u64) -> Result<u64, spinhost::Status> {
    let mut primes: Vec<u64> = Vec::new();
    for candidate in 2..below {
        let mut smaller = primes.iter().take_while(|prime| *prime * *prime <= candidate);
        if smaller.all(|prime| candidate % prime != 0) {
            found::wait(call, candidate, None)?;
            primes.push(candidate);
        }
    }
    Ok(primes.len() as u64)
}
