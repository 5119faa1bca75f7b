use crate::{note_size, text_of, text_size, Description, Effect, Emitter, Entry, Host, Note, Text};
use core::mem::{align_of, size_of};

#[test]
fn the_structs_have_the_sizes_of_the_header() {
    assert_eq!(size_of::<Description>(), 8);
    assert_eq!(size_of::<Effect>(), 48);
    assert_eq!(size_of::<Emitter>(), 40);
    assert_eq!(size_of::<Entry>(), 56);
    assert_eq!(size_of::<Host>(), 96);
    assert_eq!(size_of::<Text>(), 16);
}

#[test]
fn prototypes_are_those_of_c() {
    const NONE: &[&str] = &["void", " ", "begin", "(", "\0"];
    assert_eq!(&text_of::<{ text_size(NONE) }>(NONE), b"void begin(void)\0");
    const TWO: &[&str] = &["void ", "told", "(", "int64_t", " ", "n", ", ", "spin_string", " ", "s", ", ", "\0"];
    assert_eq!(&text_of::<{ text_size(TWO) }>(TWO), b"void told(int64_t n, spin_string s)\0");
}

#[test]
fn a_note_is_an_elf_note_of_the_owner() {
    const TEXTS: &[&str] = &["one\0", "two\0", "\0"];
    static NOTE: Note<{ note_size(TEXTS) }> = Note::new(2, TEXTS);
    let expected = [&[9, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0][..], b"spinhost\0\0\0\0", b"one\0two\0\0\0\0\0"].concat();
    assert_eq!(NOTE.bytes()[..], expected[..]);
    assert_eq!(align_of::<Note<4>>(), 4);
}
