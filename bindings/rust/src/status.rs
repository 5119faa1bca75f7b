//! Results of the host's functions, and failures with a reason.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use core::fmt;

/// `spin_status`: the result of a function of the host. 0 is success, negative is an error. An unknown code
/// is an error, too.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub i32);

impl Status {
    /// Success.
    pub const OK: Status = Status(0);
    /// An error without a code of its own.
    pub const FAILED: Status = Status(-1);
    /// The loop's mailbox is full: the host dropped this event and counted the drop.
    pub const FULL: Status = Status(-2);
    /// The call was cancelled: the loop takes no more events of it.
    pub const CANCELLED: Status = Status(-3);
    /// The call is over.
    pub const STOPPED: Status = Status(-4);
    /// An argument is not valid.
    pub const BAD_VALUE: Status = Status(-5);
    /// This host does not offer the function.
    pub const UNSUPPORTED: Status = Status(-6);
    /// There is no memory.
    pub const NO_MEMORY: Status = Status(-7);
    /// The host has not introduced itself yet: the call came from a constructor of the library.
    pub const NO_HOST: Status = Status(-8);

    /// `Ok` for success, else the status as the error.
    pub const fn result(self) -> Result<(), Status> {
        if self.0 == 0 { Ok(()) } else { Err(self) }
    }

    const fn name(self) -> Option<&'static str> {
        Some(match self {
            Status(0) => "OK",
            Status(-1) => "FAILED",
            Status(-2) => "FULL",
            Status(-3) => "CANCELLED",
            Status(-4) => "STOPPED",
            Status(-5) => "BAD_VALUE",
            Status(-6) => "UNSUPPORTED",
            Status(-7) => "NO_MEMORY",
            Status(-8) => "NO_HOST",
            _ => return None,
        })
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(formatter, "Status::{name}"),
            None => write!(formatter, "Status({})", self.0),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => formatter.write_str(name),
            None => write!(formatter, "status {}", self.0),
        }
    }
}

impl core::error::Error for Status {}

/// Why an instance cannot be made, started, saved or restored: a code, and one sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Negative, the plugin's own; 0 counts as `Status::FAILED`.
    pub code: Status,
    /// One sentence for the user. It ends at the first NUL.
    pub message: String,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure { code: Status::FAILED, message }
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

impl From<Status> for Failure {
    /// The message is the name of the status.
    fn from(code: Status) -> Self {
        Failure { code, message: code.to_string() }
    }
}
