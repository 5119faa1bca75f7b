//! Room in a full mailbox.

use crate::host::{give_once, service};
use crate::services::RoomService;
use crate::{Call, Status};

impl Call {
    /// Has `function` called once when the mailbox that answered `FULL` has room, or when the call is over, on a
    /// thread of the host that it may block. It may ask for the next room.
    ///
    /// Errors: `FULL` when the call has such a function already, `CANCELLED` or `STOPPED` when it is over,
    /// `BAD_VALUE` when the mailbox can never hold the emission. The function is not called then.
    pub fn on_room<F: FnOnce() + Send + 'static>(self, function: F) -> Result<(), Status> {
        let (host, table) = service::<RoomService>()?;
        // Safety: after success the host calls the function once.
        unsafe { give_once(function, |call, context| (table.on_room)(host, self, call, context)) }.map(drop)
    }
}
