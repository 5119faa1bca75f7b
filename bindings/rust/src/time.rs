//! The host's clocks, and timers.

use crate::host::{give_repeated, service};
use crate::services::{ClockService, TimerService};
use crate::{Call, Status, Timestamp};

/// Nanoseconds of the host's clock since an arbitrary start, which never goes back. 0 when there is no clock.
/// From any thread.
pub fn monotonic() -> i64 {
    // Safety: the function takes the host only.
    unsafe { service::<ClockService>().map_or(0, |(host, table)| (table.monotonic)(host)) }
}

/// The time of the host's clock, which may jump. 0 when there is no clock. From any thread.
pub fn wall() -> Timestamp {
    // Safety: the function takes the host only.
    unsafe { service::<ClockService>().map_or(Timestamp(0), |(host, table)| (table.wall)(host)) }
}

/// A timer of a call. It ends with the call. The plugin may keep the value for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timer(u64);

impl Timer {
    /// Ends the timer and returns at once. Its function may still run on another thread. `STOPPED` when it
    /// had ended before.
    pub fn cancel(self) -> Result<(), Status> {
        // Safety: the host checks the number.
        unsafe {
            let (host, table) = service::<TimerService>()?;
            (table.cancel)(host, self.0)
        }
        .result()
    }
}

impl Call {
    /// Calls `function` after a time of the host's clock and, with an interval, repeatedly. Due times do not
    /// drift. An interval of zero counts as none.
    ///
    /// The host calls the function on a thread of its own, which the function must not block, one call at a
    /// time. The function gets the number of due times since the previous call, at least 1. The host drops it
    /// after the timer's end. Errors: `CANCELLED` or `STOPPED` when the call is over, `NO_MEMORY`.
    pub fn start_timer<F: FnMut(u64) + Send + 'static>(
        self, after: core::time::Duration, interval: Option<core::time::Duration>, function: F,
    ) -> Result<Timer, Status> {
        let (host, table) = service::<TimerService>()?;
        let (after, interval) = (after.into(), interval.unwrap_or_default().into());
        // Safety: after success the host owns the function. It calls it on one thread at a time.
        let timer = unsafe {
            give_repeated(function, |fire, context, release, timer| {
                (table.start)(host, self, after, interval, fire, context, release, timer)
            })
        }?;
        Ok(Timer(timer))
    }
}
