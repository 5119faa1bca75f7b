import Glibc

/// The right to write to a journal, which one process at a time has: a locked file beside it (flock(2)).
///
/// The system releases the lock when the process ends, however it ends. The file stays, as removing it would
/// let two processes lock two files of one name.
final class JournalLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Throws: `.inUse` when another store has it, `.inaccessible` when the file cannot be made.
    init(of file: JournalFile) throws(JournalError) {
        // Safe because the path is a NUL-terminated copy for the call.
        descriptor = unsafe open(file.lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let reason = systemText(errno)
            throw JournalError(.inaccessible, "the lock `\(file.lockPath)` cannot be made: \(reason)")
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            defer { close(descriptor) }
            guard number == EWOULDBLOCK else {
                throw JournalError(
                    .inaccessible, "the lock `\(file.lockPath)` cannot be taken: \(systemText(number))")
            }
            throw JournalError(.inUse, "`\(file.given)` is in use by \(Self.holder(descriptor))")
        }
    }

    /// Writes the process and the app into the file, for the processes that find it locked.
    func write(app: String) {
        let content = Array("\(getpid()) \(app)\n".utf8)
        // The content is for people alone, so a full disk is no reason not to write.
        // Safe because the call reads the bytes of the array alone.
        if ftruncate(descriptor, 0) == 0 { unsafe _ = pwrite(descriptor, content, content.count, 0) }
    }

    deinit { close(descriptor) }

    /// Who has the lock, by the content of the file.
    private static func holder(_ descriptor: Int32) -> String {
        // Safe because the call writes at most as many bytes as the buffer has.
        let content = unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
            let count = unsafe pread(descriptor, buffer.baseAddress!, buffer.count, 0)
            return unsafe String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
        }
        let line = content.prefix { !$0.isNewline }
        let words = line.split(separator: " ", maxSplits: 1)
        guard let process = words.first.flatMap({ Int32($0) }) else { return "another process" }
        // Anyone may have written the file, and a terminal obeys control characters.
        let app = words.dropFirst().joined().filter {
            !$0.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
        }
        return app.isEmpty ? "process \(process)" : "process \(process) (app `\(app)`)"
    }
}
