//! Plugins for spinhost in Rust, on ABI 2.0. `spinhost/plugin.h` is the contract: ownership, threads and
//! errors are as its comments say. This crate has the structs, and macros that fill the plugin's table and
//! write its notes. It needs no C and no standard library.
//!
//! ```
//! use spinhost::Call;
//!
//! spinhost::emitter!(counted(number: i64));
//! spinhost::effect!(count(call: Call, to: i64) -> (), "Emits `counted` for each number up to `to`.");
//! spinhost::plugin!("counter", "1.0.0", count, counted);
//!
//! extern "C" fn count(call: Call, to: i64) {
//!     for number in 1..=to {
//!         counted(call, number);
//!     }
//!     call.finish();
//! }
//! # fn main() {}
//! ```
//!
//! A panic must not leave a function of a plugin: build with `panic = "abort"`, or catch it.
#![cfg_attr(not(test), no_std)]
#![warn(missing_docs)]

mod call;
mod notes;
mod table;
#[cfg(test)]
mod tests;

pub use call::{log, monotonic, print, wall, Call, Host, Status, FOREVER};
pub use notes::{note_size, text_of, text_size, CType, Note};
pub use table::{Description, Effect, Emitter, Entry, List, Text, HOST};

/// Success.
pub const OK: Status = 0;
/// An error without a code of its own.
pub const FAILED: Status = -1;
/// The loop's mailbox is full: the host dropped this event.
pub const FULL: Status = -2;
/// The call was cancelled.
pub const CANCELLED: Status = -3;
/// The call is over.
pub const STOPPED: Status = -4;
/// An argument is not valid.
pub const BAD_VALUE: Status = -5;
/// This host does not offer the function.
pub const UNSUPPORTED: Status = -6;
/// There is no memory.
pub const NO_MEMORY: Status = -7;
/// The host has not introduced itself yet.
pub const NO_HOST: Status = -8;

/// Names the plugin, once in a library: `plugin!("id", "1.0.0", NAME …)`, with the name of each `effect!` and
/// `emitter!`.
#[macro_export]
macro_rules! plugin {
    ($id:literal, $version:literal $(, $name:ident)* $(,)?) => {
        #[doc(hidden)]
        pub mod spin_plugin {
            use super::*;
            const COUNT: usize = <[&str]>::len(&[$(stringify!($name)),*]);
            static LIST: [$crate::List; COUNT] = [$($crate::List::new(&$name::DESCRIPTION)),*];
            #[no_mangle]
            #[allow(non_upper_case_globals)]
            pub static spin_entry: $crate::Entry = $crate::Entry::new(
                concat!($id, "\0"), concat!($version, "\0"), &LIST);
            const TEXTS: &[&str] = &["2.0\0", $id, "\0", $version, "\0"];
            #[used]
            #[link_section = ".note.spinhost"]
            static NOTE: $crate::Note<{ $crate::note_size(TEXTS) }> = $crate::Note::new(1, TEXTS);
        }
    };
}

/// Offers an `extern "C"` function as an effect: `effect!(NAME(PARAMETER: TYPE …) -> TYPE, "What it does.")`.
/// The compiler refuses types that differ from the function's.
#[macro_export]
macro_rules! effect {
    ($name:ident($($parameter:ident: $type:ty),* $(,)?) -> $result:ty, $doc:literal $(,)?) => {
        #[doc(hidden)]
        pub mod $name {
            use super::*;
            const PARTS: &[&str] = &[
                <$result as $crate::CType>::NAME, " ", stringify!($name), "(",
                $(<$type as $crate::CType>::NAME, " ", stringify!($parameter), ", ",)* "\0",
            ];
            static PROTOTYPE: [u8; $crate::text_size(PARTS)] = $crate::text_of(PARTS);
            const FUNCTION: extern "C" fn($($type),*) -> $result = super::$name;
            pub static DESCRIPTION: $crate::Effect = $crate::Effect::new(
                concat!(stringify!($name), "\0"), &PROTOTYPE, concat!($doc, "\0"),
                // Safety: the host calls the function by its prototype.
                unsafe { core::mem::transmute::<extern "C" fn($($type),*) -> $result, extern "C" fn()>(FUNCTION) });
            const COPY: [u8; $crate::text_size(PARTS)] = $crate::text_of(PARTS);
            const TEXTS: &[&str] = &[
                stringify!($name), "\0", unsafe { core::str::from_utf8_unchecked(&COPY) }, "\0", $doc, "\0"];
            #[used]
            #[link_section = ".note.spinhost"]
            static NOTE: $crate::Note<{ $crate::note_size(TEXTS) }> = $crate::Note::new(2, TEXTS);
        }
    };
}

/// An emission: `emitter!(NAME(FIELD: TYPE …))` defines `fn NAME(call, FIELD …) -> Status`, which emits one
/// event and never waits, and `NAME::wait(call, FIELD …, timeout)`, which waits while the mailbox is full.
#[macro_export]
macro_rules! emitter {
    ($name:ident($($field:ident: $type:ty),* $(,)?)) => {
        #[doc(hidden)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            #[repr(C)]
            pub struct Payload { $(pub $field: $type),* }
            const PARTS: &[&str] = &[
                "void ", stringify!($name), "(",
                $(<$type as $crate::CType>::NAME, " ", stringify!($field), ", ",)* "\0",
            ];
            static PROTOTYPE: [u8; $crate::text_size(PARTS)] = $crate::text_of(PARTS);
            pub static DESCRIPTION: $crate::Emitter = $crate::Emitter::new(
                concat!(stringify!($name), "\0"), &PROTOTYPE, core::mem::size_of::<Payload>());
            const COPY: [u8; $crate::text_size(PARTS)] = $crate::text_of(PARTS);
            const TEXTS: &[&str] = &[
                stringify!($name), "\0", unsafe { core::str::from_utf8_unchecked(&COPY) }, "\0"];
            #[used]
            #[link_section = ".note.spinhost"]
            static NOTE: $crate::Note<{ $crate::note_size(TEXTS) }> = $crate::Note::new(3, TEXTS);

            #[allow(dead_code)]
            pub fn wait(call: $crate::Call $(, $field: $type)*, timeout: i64) -> $crate::Status {
                // Safety: the payload has exactly the emitter's fields.
                unsafe { call.emit_wait(&DESCRIPTION, &Payload { $($field),* }, timeout) }
            }
        }

        #[allow(dead_code)]
        pub fn $name(call: $crate::Call $(, $field: $type)*) -> $crate::Status {
            // Safety: the payload has exactly the emitter's fields.
            unsafe { call.emit(&$name::DESCRIPTION, &$name::Payload { $($field),* }) }
        }
    };
}
