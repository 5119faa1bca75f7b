/// Computes and checks the hash of a library's file.
public enum LibraryHash {
    /// True for the text of a SHA-256 hash: 64 hexadecimal digits.
    public static func isWellFormed(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    /// Checks the hash of the file at a path.
    ///
    /// - Parameter expected: its SHA-256 hash, 64 hexadecimal digits of either case.
    /// - Throws: `InterfaceError` if the file has another hash (`hashMismatch`), or cannot be read.
    public static func check(_ expected: String, path: String) throws(InterfaceError) {
        try check(expected, try FileBytes(path: path))
    }

    /// Checks the hash of an open file. The caller keeps the descriptor. Messages name `path`.
    ///
    /// - Throws: `InterfaceError` if the file has another hash (`hashMismatch`), or cannot be read.
    public static func check(_ expected: String, descriptor: Int32, path: String) throws(InterfaceError) {
        try check(expected, try FileBytes(descriptor: descriptor, path: path))
    }

    /// The SHA-256 hash of the file at a path, as 64 lower-case hexadecimal digits.
    ///
    /// - Throws: `InterfaceError` if the file cannot be read.
    public static func hash(path: String) throws(InterfaceError) -> String { try hash(FileBytes(path: path)) }

    private static func hash(_ file: borrowing FileBytes) throws(InterfaceError) -> String {
        var hash = SHA256()
        var offset: UInt64 = 0
        while offset < file.size {
            let count = min(1 << 16, file.size - offset)
            hash.update(try file.read("its content", at: offset, count: Int(count)))
            offset += count
        }
        return hash.hex
    }

    private static func check(_ expected: String, _ file: consuming FileBytes) throws(InterfaceError) {
        let found = try hash(file)
        guard found != expected.lowercased() else { return }
        throw InterfaceError(
            .hashMismatch, "`\(file.path)` is not the expected file: its SHA-256 is \(found)",
            help: ["expected \(expected)", "if you trust the new file, write its hash in the manifest"])
    }
}
