//! Text for the host: its log, and the app's output.

use crate::host::service;
use crate::services::{LogService, OutputService};
use crate::{Call, Status, Text};
use core::ffi::{c_char, CStr};
use core::marker::PhantomData;
use core::mem::ManuallyDrop;

/// The level of a log line. A greater level is more serious; levels in between are allowed.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub i32);

impl Level {
    /// Every detail.
    pub const TRACE: Level = Level(-2);
    /// Information for finding a fault.
    pub const DEBUG: Level = Level(-1);
    /// Normal information.
    pub const INFO: Level = Level(0);
    /// Something that may need attention.
    pub const WARNING: Level = Level(1);
    /// Something failed.
    pub const ERROR: Level = Level(2);
}

/// Writes one line to the host's log, which adds plugin, version and call. From any thread.
pub fn log(call: Option<Call>, level: Level, text: &str) -> Result<(), Status> {
    log_with(call, level, text, &[])
}

#[repr(C)]
union Value {
    text: ManuallyDrop<Text>,
    integer: i64,
    number: f64,
}

/// A field of a log line, which a program can read. Its name is a letter a to z, then such letters, digits and
/// `_`.
#[repr(C)]
pub struct Field<'a> {
    name: *const c_char,
    kind: u32,
    reserved: u32,
    value: Value,
    texts: PhantomData<&'a str>,
}

impl<'a> Field<'a> {
    const fn new(name: &'a CStr, kind: u32, value: Value) -> Self {
        Field { name: name.as_ptr(), kind, reserved: 0, value, texts: PhantomData }
    }

    /// A field with a text.
    pub const fn text(name: &'a CStr, text: &'a str) -> Self {
        Field::new(name, 0, Value { text: ManuallyDrop::new(Text::borrowing(text)) })
    }

    /// A field with an integer.
    pub const fn integer(name: &'a CStr, integer: i64) -> Self {
        Field::new(name, 1, Value { integer })
    }

    /// A field with a number.
    pub const fn number(name: &'a CStr, number: f64) -> Self {
        Field::new(name, 2, Value { number })
    }

    /// A field that is true or false.
    pub const fn flag(name: &'a CStr, flag: bool) -> Self {
        Field::new(name, 3, Value { integer: flag as i64 })
    }
}

/// Writes one line with fields to the host's log. From any thread.
///
/// `BAD_VALUE` when the host leaves out a field, whose name is not valid or is there twice, or beyond the 32nd;
/// it writes the line with the others.
pub fn log_with(call: Option<Call>, level: Level, text: &str, fields: &[Field]) -> Result<(), Status> {
    let call = call.unwrap_or(Call(core::ptr::null_mut()));
    let (host, table) = service::<LogService>()?;
    let (at, size) = (text.as_ptr() as *const c_char, text.len());
    // Safety: the host copies the texts before it returns.
    unsafe { (table.write)(host, call, level.0, at, size, fields.as_ptr(), fields.len()) }.result()
}

/// Prints one line, without a line end, to the app's data output. `FAILED` when the host cannot write it.
/// From any thread.
pub fn print(text: &str) -> Result<(), Status> {
    // Safety: the host copies the text before it returns.
    unsafe {
        let (host, table) = service::<OutputService>()?;
        (table.print)(host, text.as_ptr() as *const c_char, text.len())
    }
    .result()
}
