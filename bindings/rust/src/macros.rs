//! The declarations of a plugin. Each puts one description into the plugin's table, by `plugin!`, and writes
//! one note that says the same.

/// Names the plugin, once in a library: `plugin!("id", "1.0.0", NAME …)`.
///
/// The names are those of each [`effect!`](crate::effect) and [`emitter!`](crate::emitter), and `instance`,
/// `config`, `life`, `swap` and `reconfigure` where the plugin has these. The host refuses a plugin that leaves one out.
#[macro_export]
macro_rules! plugin {
    ($id:literal, $version:literal $(, $name:ident)* $(,)?) => {
        #[doc(hidden)]
        pub mod spin_plugin {
            #[allow(unused_imports)]
            use super::*;
            const COUNT: usize = <[&str]>::len(&[$(stringify!($name)),*]);
            static LIST: [$crate::List; COUNT] = [$($crate::List::new(&$name::DESCRIPTION)),*];
            #[no_mangle]
            #[allow(non_upper_case_globals)]
            pub static spin_entry: $crate::Entry = $crate::Entry::new(
                concat!($id, "\0"), concat!($version, "\0"), &LIST);
            $crate::note!(1, &["2.0\0", $id, "\0", $version, "\0"]);
        }
    };
}

/// Offers a function as an effect, with its doc comment.
///
/// ```
/// spinhost::effect! {
///     /// The number of words in `text`.
///     fn count(text: &str) -> i64 {
///         text.split_whitespace().count() as i64
///     }
/// }
/// # spinhost::plugin!("words", "1.0.0", count);
/// # fn main() {}
/// ```
///
/// Parameters: `bool`, integers and floats with a size, `&str`, `&[u8]`, `&Texts`, `&CStr`, `Duration`,
/// `Timestamp`. An effect that continues after its return takes a [`Call`](crate::Call) first; it must copy
/// the texts that it keeps. An effect of a plugin with instances may take `&Type` or `&mut Type` first, or
/// after the call, where `Type` is that of [`instance!`](crate::instance). Results: `&str`, numbers, `bool`
/// or nothing; the host copies a text at once.
///
/// `#[fails_if("result < 0")]` before the function is a bool expression over `result` and `errno`. The call
/// has failed when it is true. Not for effects that take a `Call`: these report a failure with `Call::fail`.
///
/// A panic must not leave an effect: it ends the process with a message.
#[macro_export]
macro_rules! effect {
    (
        $(#[doc = $doc:literal])* $(#[fails_if($fails_if:literal)])?
        $visibility:vis fn $name:ident($($parameter:ident: $type:ty),* $(,)?) -> &str $body:block
    ) => {
        $visibility fn $name($($parameter: $type),*) -> &str $body
        $crate::effect!(@describe $name [$($parameter: $type),*] [&'static str]
            concat!($($doc),*), concat!($($fails_if)?));
    };
    (
        $(#[doc = $doc:literal])* $(#[fails_if($fails_if:literal)])?
        $visibility:vis fn $name:ident($($parameter:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    ) => {
        $visibility fn $name($($parameter: $type),*) $(-> $result)? $body
        $crate::effect!(@describe $name [$($parameter: $type),*] [$($result)?]
            concat!($($doc),*), concat!($($fails_if)?));
    };
    (@describe $name:ident $parameters:tt [] $doc:expr, $fails_if:expr) => {
        $crate::effect!(@describe $name $parameters [()] $doc, $fails_if);
    };
    (@describe $name:ident [$($parameter:ident: $type:ty),*] [$result:ty] $doc:expr, $fails_if:expr) => {
        #[doc(hidden)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            extern "C" fn call(
                $(mut $parameter: <$type as $crate::Parameter>::C),*
            ) -> <$result as $crate::Value>::C {
                // Safety: the host passes what the prototype says.
                $crate::Value::given(super::$name(
                    $(unsafe { <$type as $crate::Parameter>::passed(&mut $parameter) }),*))
            }
            const PROTOTYPE: &str = $crate::text!(&[
                <$result as $crate::Value>::NAME, " ", stringify!($name), "(",
                $crate::parameters($crate::text!(&[
                    $(", ", <$type as $crate::Parameter>::NAME, " ", stringify!($parameter)),*])),
                ")\0"]);
            const FAILS_IF: &str = concat!($fails_if, "\0");
            const DOC: &str = $crate::doc(concat!($doc, "\0"));
            pub static DESCRIPTION: $crate::Effect =
                // Safety: the prototype is that of the function.
                unsafe {
                    $crate::Effect::new(concat!(stringify!($name), "\0"), PROTOTYPE, FAILS_IF, DOC, call as *const ())
                };
            $crate::note!(2, &[stringify!($name), "\0", PROTOTYPE, FAILS_IF, DOC]);
        }
    };
}

/// An emission: `emitter!(NAME(FIELD: TYPE …))`, with `pub` or the like before the name for other modules.
///
/// It defines `fn NAME(call, FIELD …) -> Result<(), Status>`, which emits one event and never waits, and
/// `NAME::wait(call, FIELD …, timeout)`, which waits while the mailbox is full, with `None` for ever. That is
/// only for threads that may block: on the executor of a loop it does nothing and returns `UNSUPPORTED`.
/// Errors: `FULL`, `CANCELLED`, `STOPPED`. Types of fields: `bool`, integers and floats with a size, `&str`,
/// `&[u8]`, `Duration`, `Timestamp`.
#[macro_export]
macro_rules! emitter {
    ($visibility:vis $name:ident($($field:ident: $type:ty),* $(,)?)) => {
        #[doc(hidden)]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            /// Its type parameters are the types of the fields in C.
            #[repr(C)]
            #[allow(non_camel_case_types)]
            pub struct Payload<$($field),*> { $(pub $field: $field),* }
            const PROTOTYPE: &str = $crate::text!(&[
                "void ", stringify!($name), "(",
                $crate::parameters($crate::text!(&[
                    $(", ", <$type as $crate::Value>::NAME, " ", stringify!($field)),*])),
                ")\0"]);
            pub static DESCRIPTION: $crate::Emitter = $crate::Emitter::new(
                concat!(stringify!($name), "\0"), PROTOTYPE,
                core::mem::size_of::<Payload<$(<$type as $crate::Value>::C),*>>());
            $crate::note!(3, &[stringify!($name), "\0", PROTOTYPE, "\0"]);

            /// Emits one event, and waits while the mailbox is full, at most `timeout`: for ever without one.
            #[allow(dead_code)]
            pub fn wait(
                call: $crate::Call $(, $field: $type)*, timeout: Option<core::time::Duration>
            ) -> Result<(), $crate::Status> {
                let payload = Payload { $($field: <$type as $crate::Value>::given($field)),* };
                // Safety: the payload has exactly the emitter's fields.
                unsafe { call.emit_wait(&DESCRIPTION, &payload, timeout) }
            }
        }

        /// Emits one event, and never waits.
        #[allow(dead_code)]
        $visibility fn $name(call: $crate::Call $(, $field: $type)*) -> Result<(), $crate::Status> {
            let payload = $name::Payload { $($field: <$type as $crate::Value>::given($field)),* };
            // Safety: the payload has exactly the emitter's fields.
            unsafe { call.emit(&$name::DESCRIPTION, &payload) }
        }
    };
}

/// The settings of the plugin, as a struct. Once in a library, which lists `config` in `plugin!`.
///
/// ```
/// spinhost::config! {
///     struct Settings {
///         /// Where it is.
///         device: Text = "/dev/ttyS0";
///         /// Baud.
///         rate: i32 = 9_600, 300..=115_200;
///         /// The password. A manifest names the variable or the file that has it.
///         password: Secret;
///     }
/// }
/// # use spinhost::{Secret, Text};
/// # spinhost::plugin!("port", "1.0.0", config);
/// # fn main() {}
/// ```
///
/// After the default a range may follow, for numbers and durations. A setting without a default must be set
/// in the manifest. Types: `bool`, integers and floats with a size, `Text`, `Bytes`, `Texts` with the default
/// `[]`, `Secret` with the default `{}` for an empty text, `Duration` and `Timestamp` with text as the default
/// (`"5s"`).
#[macro_export]
macro_rules! config {
    (
        $visibility:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $type:ty $(= $default:expr $(, $least:literal..=$greatest:literal)?)?;
            )+
        }
    ) => {
        #[repr(C)]
        #[allow(dead_code)]
        $visibility struct $name {
            $($(#[doc = $doc])* $visibility $field: $type),+
        }
        // Safety: the note has the types of exactly these fields.
        unsafe impl $crate::Settings for $name {}

        #[doc(hidden)]
        pub mod config {
            #[allow(unused_imports)]
            use super::*;
            $($(const _: <$type as $crate::Setting>::Default = $default;)?)+
            pub static DESCRIPTION: $crate::ConfigDescription = $crate::ConfigDescription::of::<super::$name>();
            $crate::note!(7, &[
                "void spin_config(",
                $crate::parameters($crate::text!(&[
                    $(", ", <$type as $crate::Setting>::NAME, " ", stringify!($field)),+])),
                ")\0",
                $(
                    $crate::config!(@rule $($default $(, $least, $greatest)?)?),
                    $crate::doc(concat!($($doc,)* "\0")),
                )+
            ]);
        }
    };
    (@rule) => { "SPIN_REQUIRED\0\0\0" };
    (@rule $default:expr) => { $crate::text!(&[$crate::c_literal!($default), "\0\0\0"]) };
    (@rule $default:expr, $least:literal, $greatest:literal) => {
        $crate::text!(&[
            $crate::c_literal!($default), "\0", $crate::c_literal!($least), "\0", $crate::c_literal!($greatest), "\0"])
    };
}

/// The type of the plugin's instances: `instance!(Type)`, which implements [`Instance`](crate::Instance).
/// Once in a library, which lists `instance` in `plugin!`.
#[macro_export]
macro_rules! instance {
    ($type:ty) => {
        // Safety: the host refuses a plugin with two notes of this kind.
        unsafe impl $crate::TheInstance for $type {}

        #[doc(hidden)]
        pub mod instance {
            use super::*;
            pub static DESCRIPTION: $crate::InstanceDescription = $crate::InstanceDescription::of::<$type>();
            $crate::note!(6, &["create\0", "destroy\0"]);
        }
    };
}

/// The instances start and stop: `life!(Type)`, which implements [`Life`](crate::Life). Once in a library,
/// which lists `life` in `plugin!`.
#[macro_export]
macro_rules! life {
    ($type:ty) => {
        #[doc(hidden)]
        pub mod life {
            use super::*;
            pub static DESCRIPTION: $crate::LifeDescription = $crate::LifeDescription::of::<$type>();
            $crate::note!(8, &["start\0", "stop\0"]);
        }
    };
}

/// The instances hand over their state: `swap!(Type, SCHEMA)`, which implements [`Swap`](crate::Swap). The
/// schema is an unsigned number that changes with the format of the saved state. Once in a library, which
/// lists `swap` in `plugin!`.
#[macro_export]
macro_rules! swap {
    ($type:ty, $schema:literal) => {
        #[doc(hidden)]
        pub mod swap {
            use super::*;
            pub static DESCRIPTION: $crate::SwapDescription = $crate::SwapDescription::of::<$type>($schema);
            $crate::note!(9, &["save\0", "restore\0", stringify!($schema), "\0"]);
        }
    };
}

/// The instances take over changed settings: `reconfigure!(Type)`, which implements
/// [`Reconfigure`](crate::Reconfigure). Once in a library, which lists `reconfigure` in `plugin!` and has
/// settings.
#[macro_export]
macro_rules! reconfigure {
    ($type:ty) => {
        #[doc(hidden)]
        pub mod reconfigure {
            use super::*;
            pub static DESCRIPTION: $crate::ReconfigureDescription = $crate::ReconfigureDescription::of::<$type>();
            $crate::note!(11, &["reconfigure\0"]);
        }
    };
}

/// A note of a kind in the library's file.
#[doc(hidden)]
#[macro_export]
macro_rules! note {
    ($kind:literal, $texts:expr) => {
        const NOTE_TEXTS: &[&str] = $texts;
        #[used]
        #[link_section = ".note.spinhost"]
        static NOTE: $crate::Note<{ $crate::note_size(NOTE_TEXTS) }> = $crate::Note::new($kind, NOTE_TEXTS);
    };
}

/// A constant text, made of parts.
#[doc(hidden)]
#[macro_export]
macro_rules! text {
    ($parts:expr) => {{
        const PARTS: &[&str] = $parts;
        const BYTES: [u8; $crate::joined_size(PARTS)] = $crate::joined(PARTS);
        $crate::text(&BYTES)
    }};
}

/// The text of an expression in C.
#[doc(hidden)]
#[macro_export]
macro_rules! c_literal {
    ($value:expr) => {{
        const RUST: &str = stringify!($value);
        const BYTES: [u8; RUST.len()] = $crate::c_literal(RUST);
        $crate::text($crate::trimmed(&BYTES))
    }};
}
