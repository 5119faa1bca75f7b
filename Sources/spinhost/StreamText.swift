/// Reads a stream of the C library.
enum StreamText {
    /// The content up to the end of the stream, or up to `limit` bytes.
    ///
    /// - Parameter next: returns the next byte, or a negative number at the end.
    static func read(atMost limit: Int = .max, _ next: () -> Int32) -> String {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let byte = next()
            guard byte >= 0 else { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
