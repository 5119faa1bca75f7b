//! The types of Rust that effects may take and return, emissions may have, and settings may be.

use crate::instance::TheInstance;
use crate::{Bytes, Call, Duration, Secret, Text, Texts, Timestamp};
use core::ffi::{c_char, CStr};

/// A type that an effect may take. The host owns what it passes, so an effect cannot keep a reference:
///
/// ```compile_fail
/// spinhost::effect! {
///     /// Keeps `text`.
///     fn keep(text: &'static str) {
///         let _: &'static str = text;
///     }
/// }
/// # fn main() {}
/// ```
///
/// # Safety
/// `NAME` must be the name in C of the type `C`.
pub unsafe trait Parameter {
    /// The name that a prototype has for it.
    const NAME: &'static str;
    /// What the host passes.
    type C;
    /// What the effect gets: the same type, which lives until the effect returns.
    type Passed<'a>;

    /// The value that the effect gets.
    ///
    /// # Safety
    /// The host must have passed `value`.
    unsafe fn passed(value: &mut Self::C) -> Self::Passed<'_>;
}

/// A type that an effect may return, and a field of an emission. The host copies the value at once.
///
/// # Safety
/// `NAME` must be the name in C of the type `C`.
pub unsafe trait Value {
    /// The name that a prototype has for it.
    const NAME: &'static str;
    /// What the host gets.
    type C;

    /// The value that the host gets.
    fn given(self) -> Self::C;
}

/// A type that a setting may have.
///
/// # Safety
/// `NAME` must be the name in C of the type itself.
pub unsafe trait Setting {
    /// The name that the note of the settings has for it.
    const NAME: &'static str;
    /// The type of the default in `config!`. Durations and timestamps are text.
    type Default;
}

/// Effects may take these types and return them; settings may have them.
macro_rules! scalars {
    ($($type:ty: $name:literal, $default:ty;)*) => { $(
        unsafe impl Parameter for $type {
            const NAME: &'static str = $name;
            type C = $type;
            type Passed<'a> = $type;
            unsafe fn passed(value: &mut $type) -> $type { *value }
        }
        unsafe impl Value for $type {
            const NAME: &'static str = $name;
            type C = $type;
            fn given(self) -> $type { self }
        }
        unsafe impl Setting for $type {
            const NAME: &'static str = $name;
            type Default = $default;
        }
    )* };
}
scalars! {
    bool: "bool", bool; i8: "int8_t", i8; i16: "int16_t", i16; i32: "int32_t", i32; i64: "int64_t", i64;
    u8: "uint8_t", u8; u16: "uint16_t", u16; u32: "uint32_t", u32; u64: "uint64_t", u64; f32: "float", f32;
    f64: "double", f64; Duration: "spin_duration", &'static str; Timestamp: "spin_timestamp", &'static str;
}

/// Effects may take references to these types; settings are these types.
macro_rules! borrowed {
    ($($plain:ty, $type:ty: $name:literal, $default:ty;)*) => { $(
        unsafe impl Parameter for &$plain {
            const NAME: &'static str = $name;
            type C = $type;
            type Passed<'a> = &'a $plain;
            unsafe fn passed(value: &mut $type) -> &$plain { value }
        }
        unsafe impl Setting for $type {
            const NAME: &'static str = $name;
            type Default = $default;
        }
    )* };
}
borrowed! {
    str, Text: "spin_string", &'static str;
    [u8], Bytes: "spin_bytes", &'static str;
    Texts, Texts: "spin_list_string", [&'static str; 0];
}

unsafe impl Setting for Secret {
    const NAME: &'static str = "spin_secret";
    type Default = ();
}

unsafe impl Value for &str {
    const NAME: &'static str = "spin_string";
    type C = Text;
    fn given(self) -> Text {
        Text::borrowing(self)
    }
}

unsafe impl Value for &[u8] {
    const NAME: &'static str = "spin_bytes";
    type C = Bytes;
    fn given(self) -> Bytes {
        Bytes::borrowing(self)
    }
}

unsafe impl Value for () {
    const NAME: &'static str = "void";
    type C = ();
    fn given(self) {}
}

unsafe impl Parameter for &CStr {
    const NAME: &'static str = "const char *";
    type C = *const c_char;
    type Passed<'a> = &'a CStr;
    unsafe fn passed(value: &mut *const c_char) -> &CStr {
        CStr::from_ptr(*value)
    }
}

unsafe impl Parameter for Call {
    const NAME: &'static str = "spin_call *";
    type C = Call;
    type Passed<'a> = Call;
    unsafe fn passed(value: &mut Call) -> Call {
        *value
    }
}

unsafe impl<Object: TheInstance> Parameter for &Object {
    const NAME: &'static str = "spin_self *";
    type C = *mut Object;
    type Passed<'a> = &'a Object;
    unsafe fn passed(value: &mut *mut Object) -> &Object {
        &**value
    }
}

unsafe impl<Object: TheInstance> Parameter for &mut Object {
    const NAME: &'static str = "spin_self *";
    type C = *mut Object;
    type Passed<'a> = &'a mut Object;
    unsafe fn passed(value: &mut *mut Object) -> &mut Object {
        &mut **value
    }
}
