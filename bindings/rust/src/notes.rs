//! Texts that are put together when the plugin is compiled: prototypes, and the notes in the file.

/// The size of `joined` parts.
pub const fn joined_size(parts: &[&str]) -> usize {
    let (mut size, mut index) = (0, 0);
    while index < parts.len() {
        size += parts[index].len();
        index += 1;
    }
    size
}

/// The parts, one after the other. `SIZE` is their `joined_size`.
pub const fn joined<const SIZE: usize>(parts: &[&str]) -> [u8; SIZE] {
    let (mut text, mut size, mut index) = ([0; SIZE], 0, 0);
    while index < parts.len() {
        (text, size) = append(text, size, parts[index].as_bytes());
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

/// Joined parts as text.
pub const fn text(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("the texts of a plugin are UTF-8"),
    }
}

/// The parameters of a prototype, from parameters that each have `, ` before them.
pub const fn parameters(text: &'static str) -> &'static str {
    match text.as_bytes() {
        [] => "void",
        [_, _, rest @ ..] => self::text(rest),
        [_] => text,
    }
}

/// The text of a doc comment, without the space before it.
pub const fn doc(text: &'static str) -> &'static str {
    match text.as_bytes() {
        [b' ', rest @ ..] => self::text(rest),
        _ => text,
    }
}

/// The default or the limit of a setting as C text, from an expression of Rust: `9_600` is `9600`, and `[]` is
/// `{}`. `SIZE` is the size of `text`. Spaces follow a shorter result; `trimmed` removes them.
pub const fn c_literal<const SIZE: usize>(text: &str) -> [u8; SIZE] {
    let bytes = text.as_bytes();
    let (mut result, mut size, mut index) = ([b' '; SIZE], 0, 0);
    let is_text = !bytes.is_empty() && bytes[0] == b'"';
    while index < bytes.len() {
        let byte = match bytes[index] {
            b'_' | b' ' if !is_text => None,
            b'[' if !is_text => Some(b'{'),
            b']' if !is_text => Some(b'}'),
            byte => Some(byte),
        };
        if let Some(byte) = byte {
            result[size] = byte;
            size += 1;
        }
        index += 1;
    }
    result
}

/// The bytes without spaces at their end.
pub const fn trimmed(bytes: &'static [u8]) -> &'static [u8] {
    match bytes {
        [rest @ .., b' '] => trimmed(rest),
        _ => bytes,
    }
}

const OWNER: &[u8; 12] = b"spinhost\0\0\0\0";
const HEAD: usize = 12 + OWNER.len();

/// The size of a note with these texts, in bytes.
pub const fn note_size(texts: &[&str]) -> usize {
    HEAD + joined_size(texts).div_ceil(4) * 4
}

/// A note in the library's file, which the host reads before any code of the plugin runs.
#[repr(C, align(4))]
pub struct Note<const SIZE: usize>([u8; SIZE]);

impl<const SIZE: usize> Note<SIZE> {
    /// A note of a kind, `SPIN_KIND_…`. Each field in `texts` must end with a NUL.
    pub const fn new(kind: u32, texts: &[&str]) -> Self {
        let (mut bytes, mut size) = ([0; SIZE], 0);
        (bytes, size) = append(bytes, size, &9u32.to_ne_bytes());
        (bytes, size) = append(bytes, size, &(joined_size(texts) as u32).to_ne_bytes());
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
