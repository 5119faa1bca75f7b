//! An effect in Rust. It returns at once. A thread of its own emits the primes, and waits while the loop is
//! busy.

use std::ffi::c_void;

extern "C" {
    fn primes_found(call: *mut c_void, prime: u64) -> i32;
    fn primes_done(call: *mut c_void, count: u64) -> i32;
    fn primes_finish(call: *mut c_void) -> i32;
}

/// A running call. It is a token, not an address: the host checks it, so any thread may use it at any time.
#[derive(Clone, Copy)]
struct Call(*mut c_void);
unsafe impl Send for Call {}

impl Call {
    fn found(self, prime: u64) -> bool {
        unsafe { primes_found(self.0, prime) == 0 }
    }

    fn done(self, count: u64) {
        unsafe {
            primes_done(self.0, count);
            primes_finish(self.0);
        }
    }
}

#[no_mangle]
pub extern "C" fn search(call: *mut c_void, below: u64) {
    let call = Call(call);
    std::thread::spawn(move || work(call, below));
}

fn work(call: Call, below: u64) {
    let mut primes: Vec<u64> = Vec::new();
    for candidate in 2..below {
        let mut smaller = primes.iter().take_while(|prime| *prime * *prime <= candidate);
        if smaller.all(|prime| candidate % prime != 0) {
            // The host refused it: the call was cancelled, or its loop has stopped.
            if !call.found(candidate) {
                return;
            }
            primes.push(candidate);
        }
    }
    call.done(primes.len() as u64);
}
