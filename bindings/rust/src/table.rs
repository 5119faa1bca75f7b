//! The table of a plugin: the structs of `spinhost/plugin.h`, which the host reads. The macros fill them.

use crate::host::{Host, HOST};
use crate::instance::{create, destroy, reconfigure, restore, save, start, stop, TheInstance};
use crate::{Life, Reconfigure, Swap};
use core::ffi::c_char;
use core::mem::size_of;
use core::sync::atomic::AtomicPtr;

/// The address of a function of the plugin. The host calls it as its type in the header says.
type Function = *const ();

/// `spin_description`: the head of each description.
#[repr(C)]
pub struct Description {
    size: u32,
    kind: u16,
    minor: u16,
}

impl Description {
    const fn of<Whole>(kind: u16) -> Self {
        Description { size: size_of::<Whole>() as u32, kind, minor: 0 }
    }
}

/// `spin_effect`.
#[repr(C)]
pub struct Effect {
    head: Description,
    name: *const c_char,
    prototype: *const c_char,
    fails_if: *const c_char,
    doc: *const c_char,
    function: Function,
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

/// `struct spin_plugin_instance`.
#[repr(C)]
pub struct InstanceDescription {
    head: Description,
    create: Function,
    destroy: Function,
}

/// `struct spin_plugin_config`.
#[repr(C)]
pub struct ConfigDescription {
    head: Description,
    config_size: u64,
}

/// `struct spin_plugin_life`.
#[repr(C)]
pub struct LifeDescription {
    head: Description,
    start: Function,
    stop: Function,
}

/// `struct spin_plugin_swap`.
#[repr(C)]
pub struct SwapDescription {
    head: Description,
    schema: u32,
    reserved: u32,
    save: Function,
    restore: Function,
}

/// `struct spin_plugin_reconfigure`.
#[repr(C)]
pub struct ReconfigureDescription {
    head: Description,
    reconfigure: Function,
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

/// A description that a table can list.
pub trait Described {}

macro_rules! described {
    ($($type:ty),*) => { $(
        impl Described for $type {}
        // Safety: it is a constant.
        unsafe impl Sync for $type {}
    )* };
}
described! {
    Effect, Emitter, InstanceDescription, ConfigDescription, LifeDescription, SwapDescription, ReconfigureDescription
}

// Safety: both are constants.
unsafe impl Sync for Entry {}
unsafe impl Sync for List {}

impl List {
    /// A pointer to the description.
    pub const fn new<Kind: Described>(description: &'static Kind) -> Self {
        List(description as *const Kind as *const Description)
    }
}

/// A text of the table, which must end with a NUL.
const fn c_text(text: &'static str) -> *const c_char {
    assert!(matches!(text.as_bytes(), [.., 0]));
    text.as_ptr() as *const c_char
}

impl Effect {
    /// The texts must end with a NUL.
    ///
    /// # Safety
    /// The function must have the type that `prototype` says.
    pub const unsafe fn new(
        name: &'static str, prototype: &'static str, fails_if: &'static str, doc: &'static str, function: *const (),
    ) -> Self {
        Effect {
            head: Description::of::<Self>(2),
            name: c_text(name),
            prototype: c_text(prototype),
            fails_if: c_text(fails_if),
            doc: c_text(doc),
            function,
        }
    }
}

impl Emitter {
    /// The texts must end with a NUL. `payload_size` is the size of a struct of exactly the emitter's fields.
    pub const fn new(name: &'static str, prototype: &'static str, payload_size: usize) -> Self {
        Emitter {
            head: Description::of::<Self>(3),
            name: c_text(name),
            prototype: c_text(prototype),
            doc: c_text("\0"),
            payload_size: payload_size as u64,
        }
    }
}

impl InstanceDescription {
    /// How instances of this type are made and freed.
    pub const fn of<Object: TheInstance>() -> Self {
        InstanceDescription {
            head: Description::of::<Self>(6),
            create: create::<Object> as Function,
            destroy: destroy::<Object> as Function,
        }
    }
}

impl ConfigDescription {
    /// The settings are of this type.
    pub const fn of<Settings: crate::Settings>() -> Self {
        ConfigDescription { head: Description::of::<Self>(7), config_size: size_of::<Settings>() as u64 }
    }
}

impl LifeDescription {
    /// How instances of this type start and stop.
    pub const fn of<Object: TheInstance + Life>() -> Self {
        LifeDescription {
            head: Description::of::<Self>(8),
            start: start::<Object> as Function,
            stop: stop::<Object> as Function,
        }
    }
}

impl SwapDescription {
    /// How instances of this type hand over their state.
    pub const fn of<Object: TheInstance + Swap>(schema: u32) -> Self {
        SwapDescription {
            head: Description::of::<Self>(9),
            schema,
            reserved: 0,
            save: save::<Object> as Function,
            restore: restore::<Object> as Function,
        }
    }
}

impl ReconfigureDescription {
    /// How instances of this type take over changed settings.
    pub const fn of<Object: TheInstance + Reconfigure>() -> Self {
        ReconfigureDescription {
            head: Description::of::<Self>(11),
            reconfigure: reconfigure::<Object> as Function,
        }
    }
}

impl Entry {
    /// The texts must end with a NUL.
    pub const fn new(id: &'static str, version: &'static str, list: &'static [List]) -> Self {
        Entry {
            size: size_of::<Entry>() as u32,
            abi_major: 2,
            abi_minor: 0,
            flags: 0,
            id: c_text(id),
            version: c_text(version),
            host: &HOST,
            descriptions: list.as_ptr(),
            descriptions_end: list.as_ptr_range().end,
        }
    }
}
