import Glibc

/// Small files that rows need.
enum BenchFile {
    static func write(_ text: String, to path: String) throws {
        // Safe because the file is open between the two calls.
        guard let file = unsafe fopen(path, "w") else { throw BenchFault("cannot write \(path)") }
        let status = unsafe fputs(text, file)
        guard unsafe fclose(file) == 0, status >= 0 else { throw BenchFault("cannot write \(path)") }
    }

    /// Writes text to the standard error output.
    static func complain(_ text: String) {
        var text = text
        // Safe because the bytes are borrowed for the call.
        text.withUTF8 { bytes in _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}
