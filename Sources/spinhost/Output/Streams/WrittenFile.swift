import Glibc
import PluginHost

/// Writes the files that a command makes.
enum WrittenFile {
    /// The reason why a file was not written.
    struct Failure: Error {
        /// An error number of the C library.
        let number: Int32
        let text: String

        init(_ number: Int32, _ text: String? = nil) {
            (self.number, self.text) = (number, text ?? SystemError(number: number).text)
        }
    }

    /// Writes `text` to the file at `path`, completely or not at all. It does not touch a file with this
    /// content, so that build tools do not build again.
    static func write(_ text: String, to path: String) throws(Failure) {
        let bytes = Array(text.utf8)
        var status = stat()
        // Safe because path and structure live for the call.
        guard unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EEXIST)
        }
        guard FileContent.read(path, atMost: bytes.count + 1) != bytes else { return }
        try replace(path, with: bytes, like: nil)
    }

    /// Writes `bytes` to a file that exists, completely or not at all. A link stays a link.
    ///
    /// The file keeps its owner, mode and group. If the user may not set the group, another group may do no more than
    /// other users.
    static func overwrite(_ path: String, with bytes: [UInt8]) throws(Failure) {
        // Safe because a null buffer makes `realpath` allocate the text, which is freed here.
        let resolved = unsafe realpath(path, nil)
        defer { unsafe free(resolved) }
        guard let file = unsafe resolved.map({ unsafe String(cString: $0) }) else { throw Failure(errno) }
        var status = stat()
        // Safe because path and structure live for the calls.
        guard unsafe stat(file, &status) == 0, unsafe access(file, W_OK) == 0 else { throw Failure(errno) }
        try replace(file, with: bytes, like: status)
    }

    /// Puts a new file with these bytes in place of another one.
    private static func replace(_ path: String, with bytes: [UInt8], like other: stat?) throws(Failure) {
        // Hidden, so that no `*` of an `include` matches it, and short enough for any name at `path`.
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
        let draft = "\(folder).spinhost-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        // Safe because the path is a NUL-terminated copy for the call.
        let descriptor = unsafe open(
            draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, other == nil ? 0o666 : 0o600)
        guard descriptor >= 0 else { throw Failure(errno) }
        do throws(Failure) {
            defer { close(descriptor) }
            let mode: mode_t? = if let other { try keepOwner(of: other, descriptor) } else { nil }
            var written = 0
            while written < bytes.count {
                // Safe because the array's bytes are borrowed for the call.
                let count = unsafe Glibc.write(descriptor, Array(bytes[written...]), bytes.count - written)
                guard count >= 0 || errno == EINTR else { throw Failure(errno) }
                written += max(count, 0)
            }
            // After the owner and the text, because a change of these removes bits of the mode.
            if let mode, fchmod(descriptor, mode) != 0 { throw Failure(errno) }
            // Otherwise the file could be empty after a loss of power.
            guard fsync(descriptor) == 0 else { throw Failure(errno) }
            // Safe because both paths are NUL-terminated copies for the call.
            guard unsafe rename(draft, path) == 0 else { throw Failure(errno) }
        } catch {
            // Safe because the path is a NUL-terminated copy for the call.
            _ = unsafe unlink(draft)
            throw error
        }
    }

    /// Gives a draft the owner and group of the file that it is to replace. It returns the mode that is right for it.
    private static func keepOwner(of other: stat, _ descriptor: Int32) throws(Failure) -> mode_t {
        let mode = other.st_mode & 0o7777
        guard fchown(descriptor, other.st_uid, other.st_gid) != 0 else { return mode }
        var draft = stat()
        // Safe because the structure lives for the call.
        guard unsafe fstat(descriptor, &draft) == 0 else { throw Failure(errno) }
        guard draft.st_uid == other.st_uid else {
            throw Failure(
                EPERM, "it belongs to user \(other.st_uid), and would then belong to user \(draft.st_uid)")
        }
        // The bits of the group, and those that lend its rights, were for another one.
        return mode & 0o707 | (mode & 0o007) << 3
    }
}
