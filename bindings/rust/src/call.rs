//! What a plugin calls: the host's table, a running call, and the services for text and time.

use crate::{Emitter, HOST, NO_HOST, UNSUPPORTED};
use core::ffi::{c_char, c_void, CStr};
use core::sync::atomic::Ordering;

/// 0 is success, negative is an error.
pub type Status = i32;

/// As a time to wait: without a limit.
pub const FOREVER: i64 = -1;

/// `spin_host`: the functions of the host.
#[repr(C)]
pub struct Host {
    size: u32,
    abi_major: u32,
    abi_minor: u32,
    flags: u32,
    generation: u64,
    owner: *mut c_void,
    emit: extern "C" fn(Call, *const Emitter, *const c_void) -> Status,
    finish: extern "C" fn(Call) -> Status,
    fail: extern "C" fn(Call, Status, *const c_char) -> Status,
    cancelled: extern "C" fn(Call) -> i32,
    on_cancel: extern "C" fn(Call, extern "C" fn(*mut c_void), *mut c_void) -> Status,
    service: extern "C" fn(*const Host, *const c_char) -> *const c_void,
    emit_wait: extern "C" fn(Call, *const Emitter, *const c_void, i64) -> Status,
    deadline: extern "C" fn(Call) -> i64,
}

fn host() -> Option<&'static Host> {
    // Safety: the host's table stays valid while the plugin is mapped.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}

/// One running call: a token, not an address. Any thread may use it at any time; after the end of the call
/// every function answers with an error.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Call(*mut c_void);

// Safety: the host checks the token, from any thread.
unsafe impl Send for Call {}
unsafe impl Sync for Call {}

impl Call {
    /// Emits one event, and never waits: `spin_emit`.
    ///
    /// # Safety
    /// `Payload` must have exactly the emitter's fields, in C layout.
    pub unsafe fn emit<Payload>(self, emitter: &'static Emitter, payload: &Payload) -> Status {
        host().map_or(NO_HOST, |host| (host.emit)(self, emitter, payload as *const Payload as *const c_void))
    }

    /// Emits like `emit`, but waits at most `timeout` nanoseconds while the mailbox is full: `spin_emit_wait`.
    ///
    /// # Safety
    /// As for `emit`.
    pub unsafe fn emit_wait<Payload>(self, emitter: &'static Emitter, payload: &Payload, timeout: i64) -> Status {
        let payload = payload as *const Payload as *const c_void;
        host().map_or(NO_HOST, |host| (host.emit_wait)(self, emitter, payload, timeout))
    }

    /// Ends the call: `spin_finish`.
    pub fn finish(self) -> Status {
        host().map_or(NO_HOST, |host| (host.finish)(self))
    }

    /// Ends the call as failed, with a negative code and a sentence for the user: `spin_fail`.
    pub fn fail(self, code: Status, text: &CStr) -> Status {
        host().map_or(NO_HOST, |host| (host.fail)(self, code, text.as_ptr()))
    }

    /// Whether the call was cancelled or is over: `spin_cancelled`.
    pub fn is_cancelled(self) -> bool {
        host().map_or(true, |host| (host.cancelled)(self) != 0)
    }

    /// Has `function(context)` called when the call is cancelled: `spin_on_cancel`.
    pub fn on_cancel(self, function: extern "C" fn(*mut c_void), context: *mut c_void) -> Status {
        host().map_or(NO_HOST, |host| (host.on_cancel)(self, function, context))
    }

    /// When the host cancels the call, in nanoseconds of `monotonic`: `spin_deadline`.
    pub fn deadline(self) -> i64 {
        host().map_or(i64::MAX, |host| (host.deadline)(self))
    }
}

/// The table of a service.
///
/// # Safety
/// `Table` must be the struct of that id in the header.
unsafe fn service<Table>(id: &CStr) -> Result<(&'static Host, &'static Table), Status> {
    let host = host().ok_or(NO_HOST)?;
    ((host.service)(host, id.as_ptr()) as *const Table).as_ref().map(|table| (host, table)).ok_or(UNSUPPORTED)
}

#[repr(C)]
struct LogService {
    size: u32,
    flags: u32,
    write: extern "C" fn(*const Host, *const c_void, i32, *const u8, usize) -> Status,
}

#[repr(C)]
struct OutputService {
    size: u32,
    flags: u32,
    print: extern "C" fn(*const Host, *const u8, usize) -> Status,
}

#[repr(C)]
struct ClockService {
    size: u32,
    flags: u32,
    monotonic: extern "C" fn(*const Host) -> i64,
    wall: extern "C" fn(*const Host) -> i64,
}

/// Writes one line to the host's log, from level -2 (trace) to 2 (error): `spin_log`.
pub fn log(call: Option<Call>, level: i32, text: &str) -> Status {
    let call = call.map_or(core::ptr::null(), |call| call.0 as *const c_void);
    // Safety: the struct is that of the service.
    match unsafe { service::<LogService>(c"spin.log/1") } {
        Ok((host, table)) => (table.write)(host, call, level, text.as_ptr(), text.len()),
        Err(status) => status,
    }
}

/// Prints one line to the app's data output: `spin_print`.
pub fn print(text: &str) -> Status {
    // Safety: the struct is that of the service.
    match unsafe { service::<OutputService>(c"spin.output/1") } {
        Ok((host, table)) => (table.print)(host, text.as_ptr(), text.len()),
        Err(status) => status,
    }
}

/// Nanoseconds of the host's clock, which never goes back; 0 when there is none: `spin_monotonic`.
pub fn monotonic() -> i64 {
    // Safety: the struct is that of the service.
    unsafe { service::<ClockService>(c"spin.clock/1") }.map_or(0, |(host, table)| (table.monotonic)(host))
}

/// Nanoseconds since 1970-01-01T00:00:00Z by the host's clock; 0 when there is none: `spin_wall`.
pub fn wall() -> i64 {
    // Safety: the struct is that of the service.
    unsafe { service::<ClockService>(c"spin.clock/1") }.map_or(0, |(host, table)| (table.wall)(host))
}
