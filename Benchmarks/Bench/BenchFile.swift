import Glibc

/// Small files that rows need.
enum BenchFile {
    static func write(_ text: String, to path: String) throws {
        // Safe because the file is open between the two calls.
        guard let file = unsafe fopen(path, "w") else { throw BenchFault("cannot write \(path)") }
        let status = unsafe fputs(text, file)
        guard unsafe fclose(file) == 0, status >= 0 else { throw BenchFault("cannot write \(path)") }
    }

    static func text(of path: String) throws -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchFault("cannot read \(path)") }
        defer { close(descriptor) }
        return try text(ofDescriptor: descriptor)
    }

    /// The bytes of a file or pipe, up to its end.
    static func text(ofDescriptor descriptor: Int32) throws -> String {
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            // Safe because the count is the array's own.
            let count = unsafe read(descriptor, &piece, piece.count)
            guard count >= 0 || errno == EINTR else { throw BenchFault("cannot read a file or a pipe") }
            if count == 0 { return String(decoding: text, as: UTF8.self) }
            text += piece.prefix(max(0, count))
        }
    }

    /// Writes text to the standard error output.
    static func complain(_ text: String) {
        var text = text
        // Safe because the bytes are borrowed for the call.
        text.withUTF8 { bytes in _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}
