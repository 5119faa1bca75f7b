//! Descriptors that the host watches.

use crate::host::{give_repeated, service};
use crate::services::PollService;
use crate::{Call, Status};
use core::ops::BitOr;

/// The readiness of a descriptor; combine with `|`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Readiness(pub u64);

impl Readiness {
    /// Nothing: the poll is paused.
    pub const NONE: Readiness = Readiness(0);
    /// A read would not block: there is data, a connection, or the end.
    pub const READ: Readiness = Readiness(1);
    /// A write would not block.
    pub const WRITE: Readiness = Readiness(2);
    /// The other side has closed, or the descriptor has an error. The host reports it unasked. There may still
    /// be data to read.
    pub const HANGUP: Readiness = Readiness(4);

    /// Whether all of `other` hold.
    pub const fn has(self, other: Readiness) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Readiness {
    type Output = Readiness;

    fn bitor(self, other: Readiness) -> Readiness {
        Readiness(self.0 | other.0)
    }
}

/// A descriptor that the host watches for a call. It ends with the call. The plugin may keep the value for
/// ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Poll(u64);

impl Poll {
    /// Watches for other events from now on; `NONE` pauses the poll. `STOPPED` when it has ended, `BAD_VALUE`
    /// for `HANGUP`, `NO_MEMORY` when the system cannot watch the descriptor.
    pub fn change(self, events: Readiness) -> Result<(), Status> {
        let (host, table) = service::<PollService>()?;
        // Safety: the host checks the number.
        unsafe { (table.change)(host, self.0, events.0) }.result()
    }

    /// Ends the poll and returns at once. Its function may still run on another thread. `STOPPED` when it had
    /// ended before.
    pub fn cancel(self) -> Result<(), Status> {
        let (host, table) = service::<PollService>()?;
        // Safety: the host checks the number.
        unsafe { (table.cancel)(host, self.0) }.result()
    }
}

impl Call {
    /// Calls `ready` while a descriptor is ready for any of `events`.
    ///
    /// The host calls it again as long as the events hold, one function of the plugin after the other, on one
    /// thread for each version of the plugin. The descriptor should be non-blocking. The host drops the
    /// function when it will not be called again: what the function owns may close the descriptor then.
    ///
    /// Errors: `BAD_VALUE` for other events, and for a descriptor that is closed, a file, or polled already;
    /// `CANCELLED` or `STOPPED` when the call is over; `NO_MEMORY`.
    pub fn start_poll<F: FnMut(Readiness) + Send + 'static>(
        self, descriptor: i32, events: Readiness, mut ready: F,
    ) -> Result<Poll, Status> {
        let (host, table) = service::<PollService>()?;
        let ready = move |events| ready(Readiness(events));
        // Safety: after success the host owns the function. It calls it on one thread at a time.
        let poll = unsafe {
            give_repeated(ready, |call, context, release, poll| {
                (table.start)(host, self, descriptor, events.0, call, context, release, poll)
            })
        }?;
        Ok(Poll(poll))
    }
}
