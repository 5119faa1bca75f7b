//! A running call of an effect.

use crate::host::{give_once, host, service};
use crate::services::ArenaService;
use crate::table::Emitter;
use crate::{Duration, Status};
use alloc::boxed::Box;
use alloc::ffi::CString;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::ptr::NonNull;

/// One running call of an effect: a token, not an address.
///
/// The plugin may keep, copy and use it for ever, from any thread. After the end of the call every function
/// returns an error and does nothing. An effect that takes a `Call` must end it with [`finish`](Call::finish)
/// or [`fail`](Call::fail), unless the call was cancelled. It may do so after its return.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call(pub(crate) *mut c_void);

// Safety: the host checks the token, from any thread.
unsafe impl Send for Call {}
unsafe impl Sync for Call {}

impl Call {
    /// Emits one event, and never waits: `spin_emit`. [`emitter!`](crate::emitter) makes a safe function of
    /// it.
    ///
    /// # Safety
    /// `Payload` must have exactly the emitter's fields, in C layout.
    pub unsafe fn emit<Payload>(self, emitter: &'static Emitter, payload: &Payload) -> Result<(), Status> {
        let host = host().ok_or(Status::NO_HOST)?;
        (host.emit)(self, emitter, payload as *const Payload as *const c_void).result()
    }

    /// Emits like `emit`, but waits while the mailbox is full: `spin_emit_wait`.
    ///
    /// # Safety
    /// As for `emit`.
    pub unsafe fn emit_wait<Payload>(
        self, emitter: &'static Emitter, payload: &Payload, timeout: Option<core::time::Duration>,
    ) -> Result<(), Status> {
        let host = host().ok_or(Status::NO_HOST)?;
        let timeout = timeout.map_or(-1, |timeout| Duration::from(timeout).0);
        (host.emit_wait)(self, emitter, payload as *const Payload as *const c_void, timeout).result()
    }

    /// Ends the call: the plugin emits nothing more. `CANCELLED` or `STOPPED` when it was over already.
    pub fn finish(self) -> Result<(), Status> {
        let host = host().ok_or(Status::NO_HOST)?;
        // Safety: the host checks the token.
        unsafe { (host.finish)(self) }.result()
    }

    /// Ends the call as failed. A manifest reads `error.code` and `error.message`.
    ///
    /// `code` is negative and the plugin's own; 0 counts as `FAILED`. `message` is one sentence for the user.
    /// It ends at the first NUL. Errors are those of `finish`.
    pub fn fail(self, code: Status, message: &str) -> Result<(), Status> {
        let host = host().ok_or(Status::NO_HOST)?;
        let bytes: Vec<u8> = message.bytes().take_while(|byte| *byte != 0).collect();
        let message = CString::new(bytes).unwrap_or_default();
        // Safety: the host checks the token, and copies the text before it returns.
        unsafe { (host.fail)(self, code, message.as_ptr()) }.result()
    }

    /// Whether the call was cancelled or is over, so that more work for it has no effect. Cheap enough for
    /// loops.
    pub fn is_cancelled(self) -> bool {
        // Safety: the host checks the token.
        host().is_none_or(|host| unsafe { (host.cancelled)(self) } != 0)
    }

    /// The time when the host cancels the call, in nanoseconds of [`monotonic`](crate::monotonic). None
    /// without a timeout, and for a call that is over.
    pub fn deadline(self) -> Option<i64> {
        // Safety: the host checks the token.
        let deadline = host().map(|host| unsafe { (host.deadline)(self) })?;
        if deadline == i64::MAX { None } else { Some(deadline) }
    }

    /// `size` bytes of the host, aligned for any type and not cleared. They are valid until the effect has
    /// returned and the call is over: `finish` or `fail` has ended it, or the host has cancelled it and the
    /// function of `on_cancel` has returned. None when there is no memory, for more than 1 GiB in one call,
    /// and for a call that is over.
    pub fn allocate(self, size: usize) -> Option<NonNull<u8>> {
        // Safety: the host checks the token.
        let memory = unsafe {
            let (host, table) = service::<ArenaService>().ok()?;
            (table.allocate)(host, self, size)
        };
        NonNull::new(memory as *mut u8)
    }

    /// Has `function` called once when the call is cancelled, also when its loop stops. One function for each
    /// call.
    ///
    /// The host calls it on any thread, even while the effect runs. It must return soon. End the call through
    /// the result, so that the function is dropped. Errors: `CANCELLED` or `STOPPED` when the call is over,
    /// `FULL` when the call has a function already. The function is not called then.
    pub fn on_cancel<F: FnOnce() + Send + 'static>(self, function: F) -> Result<Cancellation<F>, Status> {
        let host = host().ok_or(Status::NO_HOST)?;
        // Safety: after success the host calls the function at most once.
        let function =
            unsafe { give_once(function, |call, context| (host.on_cancel)(self, call, context)) }?;
        Ok(Cancellation { call: self, function })
    }
}

/// The function that the host calls when a call is cancelled, and the right to end that call.
///
/// When the call ends in another way than through this value, the function is never dropped.
#[must_use = "end the call through it, so that its function is dropped"]
pub struct Cancellation<F> {
    call: Call,
    function: *mut F,
}

// Safety: only the thread that ends the call gets the function.
unsafe impl<F: Send> Send for Cancellation<F> {}

impl<F> Cancellation<F> {
    /// The call.
    pub fn call(&self) -> Call {
        self.call
    }

    /// Ends the call, as [`Call::finish`] does.
    pub fn finish(self) -> Result<(), Status> {
        let ended = self.call.finish();
        self.ended(ended)
    }

    /// Ends the call as failed, as [`Call::fail`] does.
    pub fn fail(self, code: Status, message: &str) -> Result<(), Status> {
        let ended = self.call.fail(code, message);
        self.ended(ended)
    }

    fn ended(self, ended: Result<(), Status>) -> Result<(), Status> {
        // Safety: this ended the call, so the host does not call the function.
        ended.inspect(|()| drop(unsafe { Box::from_raw(self.function) }))
    }
}
