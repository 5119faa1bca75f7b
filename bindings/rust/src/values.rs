//! Values that cross the border between host and plugin: texts, bytes, lists of texts, times.

use core::ops::Deref;
use core::{fmt, slice, str};

/// `spin_string`: UTF-8 that the host or the plugin owns. It reads as `&str`.
///
/// An effect takes `&str` in its place. A setting has this type.
#[repr(C)]
pub struct Text {
    data: *const u8,
    size: usize,
}

/// `spin_secret`: a setting with a secret text, such as a password. It reads as `&str`.
///
/// A manifest names the variable or the file that has the value. The host writes `<secret>` in its place, and
/// so does `Debug`.
#[repr(transparent)]
pub struct Secret(Text);

/// `spin_bytes`: bytes that the host or the plugin owns. It reads as `&[u8]`.
///
/// An effect takes `&[u8]` in its place. A setting has this type.
#[repr(C)]
pub struct Bytes {
    data: *const u8,
    size: usize,
}

/// `spin_list_string`: a list of texts. An effect takes `&Texts`; a setting has this type.
#[repr(C)]
pub struct Texts {
    items: *const Text,
    count: usize,
}

// Safety: their owner changes none of them while they can be read.
unsafe impl Send for Text {}
unsafe impl Sync for Text {}
unsafe impl Send for Bytes {}
unsafe impl Sync for Bytes {}
unsafe impl Send for Texts {}
unsafe impl Sync for Texts {}

/// # Safety
/// `size` elements must be at `data` for as long as the result is used; NULL counts as none.
unsafe fn elements<'a, Element>(data: *const Element, size: usize) -> &'a [Element] {
    if data.is_null() { &[] } else { slice::from_raw_parts(data, size) }
}

impl Text {
    pub(crate) const fn borrowing(text: &str) -> Self {
        Text { data: text.as_ptr(), size: text.len() }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        // Safety: the host has checked the text, and keeps it while this value can be borrowed.
        unsafe { str::from_utf8_unchecked(elements(self.data, self.size)) }
    }
}

impl Deref for Secret {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("<secret>")
    }
}

impl Bytes {
    pub(crate) fn borrowing(bytes: &[u8]) -> Self {
        Bytes { data: bytes.as_ptr(), size: bytes.len() }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // Safety: the host keeps the bytes while this value can be borrowed.
        unsafe { elements(self.data, self.size) }
    }
}

impl Texts {
    /// The texts, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        // Safety: the host keeps the texts while this value can be borrowed.
        unsafe { elements(self.items, self.count) }.iter().map(|text| &**text)
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// `spin_duration`: nanoseconds, which may be negative.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// `spin_timestamp`: nanoseconds since 1970-01-01T00:00:00Z.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl From<core::time::Duration> for Duration {
    /// Limited to the range of `i64`, some 292 years.
    fn from(duration: core::time::Duration) -> Self {
        Duration(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }
}

impl TryFrom<Duration> for core::time::Duration {
    type Error = core::num::TryFromIntError;

    /// Fails for a negative time.
    fn try_from(duration: Duration) -> Result<Self, Self::Error> {
        u64::try_from(duration.0).map(core::time::Duration::from_nanos)
    }
}
