//! Plugins for spinhost in Rust, on ABI 2.0.
//!
//! ```
//! use spinhost::Call;
//!
//! spinhost::plugin!("counter", "1.0.0", count, counted);
//! spinhost::emitter!(counted(number: i64));
//!
//! spinhost::effect! {
//!     /// Emits `counted` for each number up to `to`.
//!     fn count(call: Call, to: i64) {
//!         for number in 1..=to {
//!             if counted(call, number).is_err() {
//!                 return; // the call was cancelled
//!             }
//!         }
//!         let _ = call.finish();
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! A plugin that keeps something between calls has instances:
//!
//! ```
//! use spinhost::{Call, Failure, Instance};
//!
//! spinhost::plugin!("sums", "1.0.0", config, instance, add);
//!
//! spinhost::config! {
//!     struct Settings {
//!         /// What the sum begins with.
//!         first: i64 = 0, -1_000..=1_000;
//!     }
//! }
//!
//! struct Sum(i64);
//!
//! impl Instance for Sum {
//!     type Settings = Settings;
//!
//!     fn create(_: Call, settings: &Settings) -> Result<Self, Failure> {
//!         Ok(Sum(settings.first))
//!     }
//! }
//! spinhost::instance!(Sum);
//!
//! spinhost::effect! {
//!     /// The sum of all `number`s.
//!     fn add(sum: &mut Sum, number: i64) -> i64 {
//!         sum.0 = sum.0.wrapping_add(number);
//!         sum.0
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! `spinhost/plugin.h` is the contract: threads, order and errors are as its comments say. The macros fill
//! the plugin's table and write its notes. The crate needs `alloc`, and no other part of Rust's standard
//! library. Reducers are not in it: the structs of a loop come from `spinhost header`, which writes C.
//!
//! **Panics.** No panic crosses the border to the host. One that leaves a function of the plugin ends the
//! process, whatever `panic` is in Cargo.toml; the host's crash report names the plugin. A plugin that links
//! `std` may catch a panic itself, with `std::panic::catch_unwind`, and fail its call.
#![cfg_attr(not(test), no_std)]
#![warn(missing_docs)]

extern crate alloc;

mod buffer;
mod call;
mod host;
mod instance;
mod log;
mod macros;
mod metrics;
mod notes;
mod poll;
mod room;
mod run;
mod services;
mod status;
mod table;
#[cfg(test)]
mod tests;
mod time;
mod types;
mod values;
mod work;

pub use buffer::{SharedBytes, SharedBytesMut};
pub use call::{Call, Cancellation};
pub use host::generation;
pub use instance::{Instance, Life, Reconfigure, Saved, Saving, Settings, Swap};
pub use log::{log, log_with, print, Field, Level};
pub use metrics::{Counter, Gauge, Histogram};
pub use poll::{Poll, Readiness};
pub use status::{Failure, Status};
pub use time::{monotonic, wall, Timer};
pub use types::{Parameter, Setting, Value};
pub use values::{Bytes, Duration, Secret, Text, Texts, Timestamp};
pub use work::work;

/// What the macros use.
#[doc(hidden)]
pub use {
    instance::TheInstance,
    notes::{c_literal, doc, joined, joined_size, note_size, parameters, text, trimmed, Note},
    table::{
        ConfigDescription, Effect, Emitter, Entry, InstanceDescription, LifeDescription, List, ReconfigureDescription,
        SwapDescription,
    },
};
