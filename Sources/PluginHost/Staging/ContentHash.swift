/// A hash of a file's content, taken piece by piece: it tells versions of a library apart, and is none to trust.
///
/// It takes eight bytes at once, as each swap reads the whole library twice. Two contents that differ in one of these words only never
/// have the same hash.
struct ContentHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325
    private var count: UInt64 = 0

    /// Takes more bytes; of all pieces only the last one may have a size that is no multiple of eight.
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

    /// That of all bytes so far, as 16 lower-case hexadecimal digits.
    var hex: String {
        var last = self
        last.take(count)
        let digits = String(last.state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // Each step can be undone, so that different states stay different.
    private mutating func take(_ word: UInt64) {
        state = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
        state ^= state >> 32
    }
}
