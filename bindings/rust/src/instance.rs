//! Instances: what a plugin keeps between calls, how it starts and stops, and what it hands over in a swap.

use crate::host::service;
use crate::services::InstanceService;
use crate::{Call, Failure, Status};
use alloc::boxed::Box;
use core::ffi::{c_char, c_void, CStr};
use core::{ptr, slice};

/// The type of the plugin's instances, which [`instance!`](crate::instance) names. An effect takes `&Self` or
/// `&mut Self`.
///
/// The host makes one for each loop that uses the plugin, or one for the whole app. It calls the functions of
/// an instance one at a time, on any of its threads. It drops an instance after everything else: effects,
/// `stop`, timers and work have returned.
pub trait Instance: Sized + Send + 'static {
    /// The struct that [`config!`](crate::config) makes, or `()` for a plugin without settings.
    type Settings: Settings;

    /// Makes an instance with the manifest's settings. It must do no input or output and start no thread:
    /// [`Life::start`] does. After a failure the app ends before it begins.
    fn create(call: Call, settings: &Self::Settings) -> Result<Self, Failure>;
}

/// The type that [`instance!`](crate::instance) names, which implements this.
///
/// # Safety
/// The plugin must have no other such type: the host passes instances without their type.
#[doc(hidden)]
pub unsafe trait TheInstance: Instance {}

/// How instances start and stop; [`life!`](crate::life) says that they do.
pub trait Life: Instance {
    /// Opens, connects, starts threads. It returns before the initial state of a loop reaches a feedback.
    /// After a failure the host drops the instance without `stop`, and the app ends before it begins.
    fn start(&mut self, call: Call) -> Result<(), Failure>;

    /// Undoes `start`: closes, and joins the threads that the plugin started itself. All effects of the
    /// instance have returned and all calls are over. It must return soon.
    fn stop(&mut self);
}

/// How instances hand their state over to instances of another version;
/// [`swap!`](crate::swap) says that they do.
pub trait Swap: Instance {
    /// Writes the state, and changes nothing. The host does not call it between `start` and `stop`.
    fn save(&self, call: Call, saving: &mut Saving) -> Result<(), Failure>;

    /// Takes over the state of another instance, all of it or nothing, after `create` and before `start`.
    ///
    /// It must refuse bytes that it does not understand, whatever they are; the host then drops the instance.
    /// It must do no input or output and start no thread.
    fn restore(&mut self, call: Call, saved: &Saved) -> Result<(), Failure>;
}

/// How instances take over changed settings while they run; [`reconfigure!`](crate::reconfigure) says that they
/// do. Without it the host makes new instances when a manifest changes the settings.
pub trait Reconfigure: Instance {
    /// Takes over `settings` in place of `before`, all of them or nothing, between `start` and `stop`.
    ///
    /// The instance continues, with its calls, timers and work. After a failure the host makes new instances in
    /// place of all instances of the plugin. The host calls it again with both settings exchanged when another
    /// instance refuses the change. It may do input and output, but it must return soon: loops rest meanwhile.
    fn reconfigure(&mut self, call: Call, before: &Self::Settings, settings: &Self::Settings) -> Result<(), Failure>;
}

/// The settings of a plugin: `()`, or the struct that [`config!`](crate::config) makes.
///
/// # Safety
/// The type must have the layout that the note of the settings says.
pub unsafe trait Settings {}
unsafe impl Settings for () {}

/// Where [`Swap::save`] writes to.
#[repr(C)]
pub struct Saving {
    size: u32,
    flags: u32,
    write: unsafe extern "C" fn(*mut Saving, *const c_void, usize) -> Status,
}

impl Saving {
    /// Appends bytes to the saved state. `NO_MEMORY` when there is no memory, and for more than 1 GiB in all.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Status> {
        // Safety: the host copies the bytes before it returns.
        unsafe { (self.write)(self, bytes.as_ptr() as *const c_void, bytes.len()) }.result()
    }
}

/// The state that another instance has written, for [`Swap::restore`].
#[repr(C)]
pub struct Saved {
    size: u32,
    flags: u32,
    schema: u32,
    reserved: u32,
    version: *const c_char,
    data: *const u8,
    data_size: usize,
}

impl Saved {
    /// The schema of the plugin that wrote it.
    pub fn schema(&self) -> u32 {
        self.schema
    }

    /// The version of the plugin that wrote it.
    pub fn version(&self) -> &str {
        // Safety: the host keeps the text while `restore` runs.
        unsafe { CStr::from_ptr(self.version) }.to_str().unwrap_or_default()
    }

    /// The bytes.
    pub fn data(&self) -> &[u8] {
        if self.data.is_null() {
            return &[];
        }
        // Safety: the host keeps the bytes while `restore` runs.
        unsafe { slice::from_raw_parts(self.data, self.data_size) }
    }
}

impl Call {
    /// A call that lasts until the instance stops, for events that no effect asked for. A feedback with `effect
    /// = "PLUGIN:*"` listens to it. Only for the call that `Life::start` gets; `None` for any other.
    pub fn instance(self) -> Option<Call> {
        let (host, table) = service::<InstanceService>().ok()?;
        // Safety: the host checks the token, and a token is no address.
        let call = unsafe { (table.call)(host, self) };
        (!call.0.is_null()).then_some(call)
    }
}

/// Tells the host why something failed.
fn status(call: Call, result: Result<(), Failure>) -> Status {
    let Err(failure) = result else { return Status::OK };
    // The call may be over already; the result says that this failed, too.
    let _ = call.fail(failure.code, &failure.message);
    if failure.code == Status::OK { Status::FAILED } else { failure.code }
}

// The functions in the table. The host calls them as the traits say, with an instance from `create`. A panic in
// one of them ends the process.

pub(crate) unsafe extern "C" fn create<Object: Instance>(call: Call, settings: *mut c_void) -> *mut Object {
    // A plugin without settings gets NULL, and `()` has no bytes.
    let settings = if settings.is_null() { ptr::NonNull::dangling().as_ptr() } else { settings };
    match Object::create(call, &*(settings as *const Object::Settings)) {
        Ok(object) => Box::into_raw(Box::new(object)),
        Err(failure) => {
            status(call, Err(failure));
            ptr::null_mut()
        }
    }
}

pub(crate) unsafe extern "C" fn destroy<Object: Instance>(object: *mut Object) {
    drop(Box::from_raw(object));
}

pub(crate) unsafe extern "C" fn start<Object: Life>(call: Call, object: &mut Object) -> Status {
    status(call, object.start(call))
}

pub(crate) unsafe extern "C" fn stop<Object: Life>(object: &mut Object) {
    object.stop();
}

pub(crate) unsafe extern "C" fn save<Object: Swap>(call: Call, object: &mut Object, saving: &mut Saving) -> Status {
    status(call, object.save(call, saving))
}

pub(crate) unsafe extern "C" fn restore<Object: Swap>(call: Call, object: &mut Object, saved: &Saved) -> Status {
    status(call, object.restore(call, saved))
}

pub(crate) unsafe extern "C" fn reconfigure<Object: Reconfigure>(
    call: Call, object: &mut Object, before: &Object::Settings, settings: &Object::Settings,
) -> Status {
    status(call, object.reconfigure(call, before, settings))
}
