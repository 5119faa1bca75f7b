import Records

/// A hash of a file's content, computed in pieces. It identifies versions of a library, and is not
/// cryptographic.
///
/// It takes eight bytes at a time for speed, as each swap reads the whole library twice. Two contents of
/// equal size that differ in only one of these words never have the same hash.
struct ContentHash {
    private var state = UInt64.emptyHash
    private var count: UInt64 = 0

    /// Adds bytes. Only the last piece may have a size that is no multiple of eight.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let end = bytes.count & ~7
        for offset in stride(from: 0, to: end, by: 8) {
            // Safe because the word lies within the bytes.
            take(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var rest: UInt64 = 0
        for offset in end..<bytes.count { rest = rest << 8 | UInt64(unsafe bytes[offset]) }
        if end < bytes.count { take(rest) }
        count += UInt64(bytes.count)
    }

    /// The hash of all bytes so far, as 16 lower-case hexadecimal digits.
    var hex: String {
        var last = self
        last.take(count)
        return last.state.hex
    }

    // Each step is invertible, so different states stay different.
    private mutating func take(_ word: UInt64) {
        state = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
        state ^= state >> 32
    }
}
