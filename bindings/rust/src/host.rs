//! The host's table of functions, its services, and the functions that the plugin gives to it.

use crate::{Call, Emitter, Status};
use alloc::boxed::Box;
use core::ffi::{c_char, c_void, CStr};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Where the host stores its table, before it calls any function of the plugin.
pub static HOST: AtomicPtr<Host> = AtomicPtr::new(null_mut());

/// A function of the plugin with its context.
pub(crate) type Function = unsafe extern "C" fn(*mut c_void);

/// A function of the plugin with its context and a number.
pub(crate) type NumberFunction = unsafe extern "C" fn(*mut c_void, u64);

/// `spin_host`: the functions of the host.
#[repr(C)]
pub struct Host {
    pub(crate) size: u32,
    pub(crate) abi_major: u32,
    pub(crate) abi_minor: u32,
    pub(crate) flags: u32,
    pub(crate) generation: u64,
    pub(crate) owner: *mut c_void,
    pub(crate) emit: unsafe extern "C" fn(Call, *const Emitter, *const c_void) -> Status,
    pub(crate) finish: unsafe extern "C" fn(Call) -> Status,
    pub(crate) fail: unsafe extern "C" fn(Call, Status, *const c_char) -> Status,
    pub(crate) cancelled: unsafe extern "C" fn(Call) -> i32,
    pub(crate) on_cancel: unsafe extern "C" fn(Call, Function, *mut c_void) -> Status,
    pub(crate) service: unsafe extern "C" fn(*const Host, *const c_char) -> *const c_void,
    pub(crate) emit_wait: unsafe extern "C" fn(Call, *const Emitter, *const c_void, i64) -> Status,
    pub(crate) deadline: unsafe extern "C" fn(Call) -> i64,
}

// Safety: the host changes nothing in it.
unsafe impl Sync for Host {}

/// The host's table; none in a constructor of the library.
pub(crate) fn host() -> Option<&'static Host> {
    // Safety: the table stays valid while the library is mapped.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}

/// How many versions of this plugin the host has loaded, with this one. None in a constructor of the library.
pub fn generation() -> Option<u64> {
    host().map(|host| host.generation)
}

/// A table that the host finds by its id.
pub trait Service: Sized + 'static {
    /// `spin.NAME/REVISION`.
    const ID: &'static CStr;

    /// The table, after its first use.
    fn found() -> &'static AtomicPtr<Self>;
}

/// The struct of a service: `service_table! { NAME, ID, FUNCTION(TYPE …) -> RESULT; … }`. Each function takes
/// the host first.
macro_rules! service_table {
    ($name:ident, $id:literal, $($function:ident($($parameter:ty),*) $(-> $result:ty)?;)+) => {
        // Nothing reads `size` and `flags`, and a service has its table before it has a wrapper.
        #[allow(dead_code)]
        #[repr(C)]
        pub struct $name {
            pub size: u32,
            pub flags: u32,
            $(pub $function: unsafe extern "C" fn(*const crate::host::Host, $($parameter),*) $(-> $result)?,)+
        }

        impl crate::host::Service for $name {
            const ID: &'static core::ffi::CStr = $id;

            fn found() -> &'static core::sync::atomic::AtomicPtr<Self> {
                static TABLE: core::sync::atomic::AtomicPtr<$name> =
                    core::sync::atomic::AtomicPtr::new(core::ptr::null_mut());
                &TABLE
            }
        }
    };
}
pub(crate) use service_table;

/// The table of a service, and the host that its functions take. The host looks for the table once.
pub(crate) fn service<Table: Service>() -> Result<(&'static Host, &'static Table), Status> {
    let host = host().ok_or(Status::NO_HOST)?;
    let found = Table::found();
    let mut table = found.load(Ordering::Acquire);
    // Safety: the host's tables are as the headers say, and stay while the library is mapped.
    unsafe {
        if table.is_null() {
            table = (host.service)(host, Table::ID.as_ptr()) as *mut Table;
            found.store(table, Ordering::Release);
        }
        table.as_ref().map(|table| (host, &*table)).ok_or(Status::UNSUPPORTED)
    }
}

/// Gives the host a function that it calls at most once, and returns where the function is. The call frees it.
/// The function is dropped when the host refuses it.
///
/// # Safety
/// The host must call what `give` gets once at most, and never after an error.
pub(crate) unsafe fn give_once<F: FnOnce() + Send + 'static>(
    function: F, give: impl FnOnce(Function, *mut c_void) -> Status,
) -> Result<*mut F, Status> {
    unsafe extern "C" fn call<F: FnOnce()>(context: *mut c_void) {
        Box::from_raw(context as *mut F)()
    }
    let function = Box::into_raw(Box::new(function));
    let given = give(call::<F>, function as *mut c_void).result();
    given.map(|()| function).inspect_err(|_| drop(Box::from_raw(function)))
}

/// Gives the host a function that it may call repeatedly, with a second one that frees the first. Returns the
/// number that the host stores. The function is dropped when the host refuses it.
///
/// # Safety
/// The host must call the first function that `give` gets on one thread at a time, then the second one once. It
/// must call neither after an error.
pub(crate) unsafe fn give_repeated<F: FnMut(u64) + Send + 'static>(
    function: F, give: impl FnOnce(NumberFunction, *mut c_void, Function, &mut u64) -> Status,
) -> Result<u64, Status> {
    unsafe extern "C" fn call<F: FnMut(u64)>(context: *mut c_void, number: u64) {
        (*(context as *mut F))(number)
    }
    unsafe extern "C" fn release<F>(context: *mut c_void) {
        drop(Box::from_raw(context as *mut F))
    }
    let function = Box::into_raw(Box::new(function)) as *mut c_void;
    let mut number = 0;
    let given = give(call::<F>, function, release::<F>, &mut number).result();
    given.map(|()| number).inspect_err(|_| release::<F>(function))
}
