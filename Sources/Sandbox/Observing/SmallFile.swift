import Glibc

/// Files of proc(5), and scripts.
enum SmallFile {
    /// The first 4,095 bytes as text; nil if the file cannot be read.
    static func text(_ path: String) -> String? {
        // Safe because the path is borrowed for the call, which waits for nothing.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_095)
        // Safe because the call gets the size of the bytes.
        let count = unsafe read(file, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
