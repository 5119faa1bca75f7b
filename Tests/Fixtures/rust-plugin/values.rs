//! Effects that need no instance: each type of the crate once.

use spinhost::{Call, Duration, Texts, Timestamp};
use std::ffi::CStr;

spinhost::emitter!(sorted(all: &str, bytes: &[u8], seen: Timestamp));
spinhost::emitter!(pub(crate) words());

spinhost::effect! {
    /// The sum, or a failure below zero.
    #[fails_if("result < 0")]
    fn add(one: i32, other: i32) -> i32 {
        one.saturating_add(other)
    }
}

spinhost::effect! {
    /// One of two texts.
    fn greet(name: &CStr) -> &str {
        if name.is_empty() { "nobody" } else { name.to_str().unwrap_or("?") }
    }
}

spinhost::effect! {
    /// Emits `sorted` with the texts in order, from the memory of the call, and `words`.
    fn sort(call: Call, all: &Texts, bytes: &[u8]) {
        let mut texts: Vec<&str> = all.iter().collect();
        texts.sort();
        let line = texts.join(" ");
        let emitted = match call.allocate(bytes.len()) {
            Some(memory) => {
                // Safety: the memory has this size, and is not used after the end of the call.
                let copy = unsafe {
                    memory.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                    std::slice::from_raw_parts(memory.as_ptr(), bytes.len())
                };
                sorted(call, &line, copy, spinhost::wall())
            }
            None => Err(spinhost::Status::NO_MEMORY),
        };
        let _ = match emitted.and_then(|()| words(call)) {
            Ok(()) => call.finish(),
            Err(status) => call.fail(status, "there is no room"),
        };
    }
}

spinhost::effect! {
    /// The bytes of all texts.
    fn lengths(all: &Texts) -> u64 {
        all.iter().map(|text| text.len() as u64).sum()
    }
}

spinhost::effect! {
    /// Half of a time.
    fn wait(time: Duration) -> Duration {
        Duration(time.0 / 2)
    }
}

spinhost::effect! {
    /// The time since then, by the host's clock.
    fn age(since: Timestamp) -> Duration {
        Duration(spinhost::wall().0.saturating_sub(since.0))
    }
}

spinhost::effect! {
    /// Whether the host has introduced itself.
    pub fn is_known() -> bool {
        spinhost::generation().is_some() && spinhost::monotonic() > 0
    }
}
