//! Threads of the host.

use crate::host::{give_once, service};
use crate::services::WorkService;
use crate::Status;

/// Calls `function` once, soon, on a thread of the host that it may block. Up to 64 functions of a plugin run
/// side by side; others wait in order.
///
/// The host waits for the function before it destroys the plugin's instances, at most until its deadline. So
/// a function that lasts must end when its call is cancelled, or when `stop` says so. `NO_MEMORY` when there
/// is no thread; the function is not called then. From any thread.
pub fn work<F: FnOnce() + Send + 'static>(function: F) -> Result<(), Status> {
    let (host, table) = service::<WorkService>()?;
    // Safety: after success the host calls the function once.
    unsafe { give_once(function, |call, context| (table.submit)(host, call, context)) }.map(drop)
}
