//! Bytes that pass the border without a copy.

use crate::host::service;
use crate::services::BufferService;
use crate::{Call, Status};
use core::ops::Deref;
use core::ptr::NonNull;
use core::slice;

/// Bytes of the host, which the plugin writes once. [`freeze`](SharedBytesMut::freeze) makes them readable.
///
/// The host knows shared bytes by their start. So these give out no slice while they can be written.
pub struct SharedBytesMut {
    start: NonNull<u8>,
    size: usize,
    capacity: usize,
}

// Safety: it is the only owner of the bytes.
unsafe impl Send for SharedBytesMut {}

impl SharedBytesMut {
    /// Room for that many bytes; `None` for none, for more than 1 GiB, and when there is no memory.
    pub fn with_capacity(capacity: usize) -> Option<Self> {
        let (host, table) = service::<BufferService>().ok()?;
        // Safety: the host answers NULL or so many bytes.
        let start = NonNull::new(unsafe { (table.allocate)(host, capacity) })?;
        Some(SharedBytesMut { start, size: 0, capacity })
    }

    /// Appends a copy of bytes. `NO_MEMORY` when they have no room; nothing is appended then.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) -> Result<(), Status> {
        if bytes.len() > self.capacity - self.size {
            return Err(Status::NO_MEMORY);
        }
        // Safety: there is room, and nothing else has the bytes.
        unsafe { self.start.as_ptr().add(self.size).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.size += bytes.len();
        Ok(())
    }

    /// Has `fill` write bytes behind the others, such as a device or `read` does. It gets the place and the room
    /// there, and returns how many bytes it has written.
    ///
    /// # Safety
    /// `fill` must write so many bytes, and must keep nothing of the place.
    pub unsafe fn fill(&mut self, fill: impl FnOnce(*mut u8, usize) -> usize) {
        let room = self.capacity - self.size;
        self.size += fill(self.start.as_ptr().add(self.size), room).min(room);
    }

    /// The bytes that were written, which can be emitted without a copy and only be read from now on.
    pub fn freeze(self) -> SharedBytes {
        let bytes = SharedBytes { start: Some(self.start), size: self.size };
        core::mem::forget(self);
        bytes
    }
}

impl Drop for SharedBytesMut {
    fn drop(&mut self) {
        release(self.start);
    }
}

/// Bytes that an emission shares when they are at least 4096: pass them as a field of type `&[u8]`. They can
/// only be read.
pub struct SharedBytes {
    /// None for an empty argument.
    start: Option<NonNull<u8>>,
    size: usize,
}

// Safety: nothing writes the bytes any more, and the host counts references for any thread.
unsafe impl Send for SharedBytes {}
unsafe impl Sync for SharedBytes {}

impl SharedBytes {
    /// Keeps an argument of an effect longer than its call, without a copy. `BAD_VALUE` when `bytes` are no
    /// whole argument of the call, `CANCELLED` or `STOPPED` when it is over.
    pub fn keep(call: Call, bytes: &[u8]) -> Result<Self, Status> {
        if bytes.is_empty() {
            return Ok(SharedBytes { start: None, size: 0 });
        }
        let (host, table) = service::<BufferService>()?;
        // Safety: the host checks the address before it uses it.
        unsafe { (table.retain)(host, call, bytes.as_ptr()) }.result()?;
        Ok(SharedBytes { start: Some(NonNull::from(bytes).cast()), size: bytes.len() })
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // Safety: the bytes were written, and stay while there is a reference.
        self.start.map_or(&[], |start| unsafe { slice::from_raw_parts(start.as_ptr(), self.size) })
    }
}

impl Clone for SharedBytes {
    fn clone(&self) -> Self {
        if let (Some(start), Ok((host, table))) = (self.start, service::<BufferService>()) {
            // Safety: this value has a reference, so the host needs no call.
            let _ = unsafe { (table.retain)(host, Call(core::ptr::null_mut()), start.as_ptr()) };
        }
        SharedBytes { start: self.start, size: self.size }
    }
}

impl Drop for SharedBytes {
    fn drop(&mut self) {
        if let Some(start) = self.start {
            release(start);
        }
    }
}

fn release(start: NonNull<u8>) {
    if let Ok((host, table)) = service::<BufferService>() {
        // Safety: the value that calls this had a reference.
        let _ = unsafe { (table.release)(host, start.as_ptr()) };
    }
}
