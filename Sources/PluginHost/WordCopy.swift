/// Copies a record's bytes, which are few mostly, a word at a time.
///
/// The C library's way costs a call, and reads two words at once that a field's assignment has just written one by one: the processor
/// then waits until they have left its store buffer. A step of the row M2 takes a tenth less time this way.
///
/// - Precondition: the memory does not overlap.
@inline(__always)
func copyWords(_ target: UnsafeMutableRawPointer, _ source: UnsafeRawPointer, _ size: Int) {
    guard size <= 64 else { return unsafe target.copyMemory(from: source, byteCount: size) }
    var offset = 0
    // Safe because both have so many bytes, as the caller promises.
    while offset &+ 8 <= size {
        unsafe target.storeBytes(
            of: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset,
            as: UInt64.self)
        offset &+= 8
    }
    while offset < size {
        unsafe target.storeBytes(
            of: source.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset, as: UInt8.self)
        offset &+= 1
    }
}
