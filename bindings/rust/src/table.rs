//! The table of a plugin: the structs of `spinhost/plugin.h`, which the host reads.

use crate::Host;
use core::ffi::c_char;
use core::mem::size_of;
use core::ptr::null;
use core::sync::atomic::AtomicPtr;

/// Where the host stores its table, before it calls any function of the plugin.
pub static HOST: AtomicPtr<Host> = AtomicPtr::new(core::ptr::null_mut());

/// `spin_string`: borrowed UTF-8. The host copies the text of an emission before `emit` returns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    data: *const u8,
    size: usize,
}

impl Text {
    /// The text of a string, which must live until the host has copied it.
    pub const fn new(text: &str) -> Self {
        Text { data: text.as_ptr(), size: text.len() }
    }

    /// The string. The host checks that text is UTF-8 before it passes it.
    ///
    /// # Safety
    /// The text must still be there: that of an argument until the effect has returned, or with `Call` until
    /// the call is over.
    pub const unsafe fn as_str<'a>(self) -> &'a str {
        if self.size == 0 {
            return "";
        }
        core::str::from_utf8_unchecked(core::slice::from_raw_parts(self.data, self.size))
    }
}

impl crate::CType for Text {
    const NAME: &'static str = "spin_string";
}

/// `spin_description`: the head of each description.
#[repr(C)]
pub struct Description {
    size: u32,
    kind: u16,
    minor: u16,
}

/// `spin_effect`.
#[repr(C)]
pub struct Effect {
    head: Description,
    name: *const c_char,
    prototype: *const c_char,
    fails_if: *const c_char,
    doc: *const c_char,
    function: extern "C" fn(),
}

/// `spin_emitter`.
#[repr(C)]
pub struct Emitter {
    head: Description,
    name: *const c_char,
    prototype: *const c_char,
    doc: *const c_char,
    payload_size: u64,
}

/// `struct spin_entry`.
#[repr(C)]
pub struct Entry {
    size: u32,
    abi_major: u32,
    abi_minor: u32,
    flags: u32,
    id: *const c_char,
    version: *const c_char,
    host: *const AtomicPtr<Host>,
    descriptions: *const List,
    descriptions_end: *const List,
}

/// An element of the table's list.
#[repr(transparent)]
pub struct List(*const Description);

// Safety: all of these are constants.
unsafe impl Sync for Effect {}
unsafe impl Sync for Emitter {}
unsafe impl Sync for Entry {}
unsafe impl Sync for List {}

/// A description that a table can list.
pub trait Described {}
impl Described for Effect {}
impl Described for Emitter {}

impl List {
    /// A pointer to the description.
    pub const fn new<Kind: Described>(description: &'static Kind) -> Self {
        List(description as *const Kind as *const Description)
    }
}

impl Effect {
    /// The texts end with a NUL.
    pub const fn new(name: &'static str, prototype: &'static [u8], doc: &'static str, function: extern "C" fn()) -> Self {
        Effect {
            head: Description { size: size_of::<Effect>() as u32, kind: 2, minor: 0 },
            name: name.as_ptr() as *const c_char,
            prototype: prototype.as_ptr() as *const c_char,
            fails_if: null(),
            doc: doc.as_ptr() as *const c_char,
            function,
        }
    }
}

impl Emitter {
    /// The texts end with a NUL.
    pub const fn new(name: &'static str, prototype: &'static [u8], payload_size: usize) -> Self {
        Emitter {
            head: Description { size: size_of::<Emitter>() as u32, kind: 3, minor: 0 },
            name: name.as_ptr() as *const c_char,
            prototype: prototype.as_ptr() as *const c_char,
            doc: null(),
            payload_size: payload_size as u64,
        }
    }
}

impl Entry {
    /// The texts end with a NUL.
    pub const fn new(id: &'static str, version: &'static str, list: &'static [List]) -> Self {
        Entry {
            size: size_of::<Entry>() as u32,
            abi_major: 2,
            abi_minor: 0,
            flags: 0,
            id: id.as_ptr() as *const c_char,
            version: version.as_ptr() as *const c_char,
            host: &HOST,
            descriptions: list.as_ptr(),
            descriptions_end: list.as_ptr_range().end,
        }
    }
}
