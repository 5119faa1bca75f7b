//! The identity of a run, for work that must happen once.

use crate::host::service;
use crate::services::RunService;
use crate::{Call, Status};
use alloc::string::String;
use alloc::vec;
use core::ffi::c_char;

impl Call {
    /// A key of the call's run, the same for each call that the host makes for the run: 1 to 255 ASCII
    /// characters. Errors: `CANCELLED` or `STOPPED` when the call is over, `UNSUPPORTED` for the call of a
    /// function that is no effect.
    pub fn run_key(self) -> Result<String, Status> {
        let (host, table) = service::<RunService>()?;
        let mut bytes = vec![0u8; 256];
        // Safety: the memory has the size that the host gets.
        unsafe { (table.key)(host, self, bytes.as_mut_ptr() as *mut c_char, bytes.len()) }.result()?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        String::from_utf8(bytes).map_err(|_| Status::BAD_VALUE)
    }

    /// How many calls the host has made for the run, this one included; 0 for a call of no run, or that is
    /// over.
    pub fn attempt(self) -> u32 {
        // Safety: the host checks the token.
        service::<RunService>().map_or(0, |(host, table)| unsafe { (table.attempt)(host, self) })
    }
}
