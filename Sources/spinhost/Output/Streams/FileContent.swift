import Glibc

/// Reads the content of files.
enum FileContent {
    /// The first bytes of a regular file, at most `size`; nil if it is not a regular file, or cannot be read.
    static func read(_ path: String, atMost size: Int) -> [UInt8]? {
        // Without O_NONBLOCK a pipe would wait for a writer.
        // Safe because the path is a NUL-terminated copy for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        // Safe because the structure lives for the call.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let size = min(size, max(0, Int(status.st_size)))
        var content: [UInt8] = []
        while content.count < size {
            var piece = [UInt8](repeating: 0, count: size - content.count)
            // Safe because the array has that many bytes, borrowed for the call.
            let got = unsafe Glibc.read(descriptor, &piece, piece.count)
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            content += piece.prefix(got)
        }
        return content
    }

    /// The first bytes of stdin, at most `size`; nil if it cannot be read.
    static func readInput(atMost size: Int) -> [UInt8]? {
        var (content, piece): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while content.count < size {
            // Safe because the array has at least that many bytes, borrowed for the call.
            let got = unsafe Glibc.read(STDIN_FILENO, &piece, min(piece.count, size - content.count))
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            content += piece.prefix(got)
        }
        return content
    }
}
