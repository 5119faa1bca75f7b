//! Texts that are put together when the plugin is compiled: prototypes, and the notes in the file.

use crate::Call;

/// A type that effects may take and emissions may have, with its name in C.
pub trait CType {
    /// The name that a prototype has for it.
    const NAME: &'static str;
}

macro_rules! c_types {
    ($($type:ty: $name:literal),*) => { $(impl CType for $type { const NAME: &'static str = $name; })* };
}
c_types! {
    (): "void", bool: "bool", i8: "int8_t", i16: "int16_t", i32: "int32_t", i64: "int64_t", u8: "uint8_t",
    u16: "uint16_t", u32: "uint32_t", u64: "uint64_t", f32: "float", f64: "double", Call: "spin_call *"
}

/// The parts of a prototype end with ", " behind each parameter and a NUL. What stands for them in C: the last
/// comma is a parenthesis, and `(` alone is `(void)`.
const fn is_last_comma(parts: &[&str], index: usize) -> bool {
    index + 2 == parts.len() && parts[index].len() == 2
}

const fn has_no_parameters(parts: &[&str]) -> bool {
    let before = parts[parts.len() - 2].as_bytes();
    before[before.len() - 1] == b'('
}

/// The size of `text_of` these parts.
pub const fn text_size(parts: &[&str]) -> usize {
    let (mut size, mut index) = (0, 0);
    while index < parts.len() {
        size += parts[index].len();
        index += 1;
    }
    if has_no_parameters(parts) { size + 5 } else { size - 1 }
}

/// A prototype with a NUL at its end.
pub const fn text_of<const SIZE: usize>(parts: &[&str]) -> [u8; SIZE] {
    let mut text = [0; SIZE];
    let (mut size, mut index) = (0, 0);
    while index < parts.len() {
        let part = if index + 1 == parts.len() {
            if has_no_parameters(parts) { "void)\0" } else { "\0" }
        } else if is_last_comma(parts, index) {
            ")"
        } else {
            parts[index]
        };
        (text, size) = append(text, size, part.as_bytes());
        index += 1;
    }
    text
}

const fn append<const SIZE: usize>(mut to: [u8; SIZE], mut size: usize, bytes: &[u8]) -> ([u8; SIZE], usize) {
    let mut index = 0;
    while index < bytes.len() {
        to[size] = bytes[index];
        size += 1;
        index += 1;
    }
    (to, size)
}

const OWNER: &[u8; 12] = b"spinhost\0\0\0\0";
const HEAD: usize = 12 + OWNER.len();

/// The size of a note with these texts, in bytes.
pub const fn note_size(texts: &[&str]) -> usize {
    HEAD + descriptor_size(texts).div_ceil(4) * 4
}

const fn descriptor_size(texts: &[&str]) -> usize {
    let (mut size, mut index) = (0, 0);
    while index < texts.len() {
        size += texts[index].len();
        index += 1;
    }
    size
}

/// A note in the library's file, which the host reads before any code of the plugin runs.
#[repr(C, align(4))]
pub struct Note<const SIZE: usize>([u8; SIZE]);

impl<const SIZE: usize> Note<SIZE> {
    /// A note of a kind, `SPIN_KIND_…`. Each field in `texts` ends with a NUL.
    pub const fn new(kind: u32, texts: &[&str]) -> Self {
        let (mut bytes, mut size) = ([0; SIZE], 0);
        (bytes, size) = append(bytes, size, &9u32.to_ne_bytes());
        (bytes, size) = append(bytes, size, &(descriptor_size(texts) as u32).to_ne_bytes());
        (bytes, size) = append(bytes, size, &kind.to_ne_bytes());
        (bytes, size) = append(bytes, size, OWNER);
        let mut index = 0;
        while index < texts.len() {
            (bytes, size) = append(bytes, size, texts[index].as_bytes());
            index += 1;
        }
        Note(bytes)
    }

    /// The bytes of the note.
    pub const fn bytes(&self) -> &[u8; SIZE] {
        &self.0
    }
}
