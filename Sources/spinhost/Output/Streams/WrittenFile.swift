import Glibc
import PluginHost

/// Writes the files that a command makes.
enum WrittenFile {
    /// The reason why a file was not written.
    struct Failure: Error {
        let reason: SystemError

        init(_ number: Int32) { reason = SystemError(number: number) }
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
        let draft = "\(path).\(getpid()).new"
        // Safe because the path is a NUL-terminated copy for the call.
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Failure(errno) }
        do throws(Failure) {
            defer { close(descriptor) }
            var written = 0
            while written < bytes.count {
                // Safe because the array's bytes are borrowed for the call.
                let count = unsafe Glibc.write(descriptor, Array(bytes[written...]), bytes.count - written)
                guard count >= 0 || errno == EINTR else { throw Failure(errno) }
                written += max(count, 0)
            }
            // Safe because both paths are NUL-terminated copies for the call.
            guard unsafe rename(draft, path) == 0 else { throw Failure(errno) }
        } catch {
            // Safe because the path is a NUL-terminated copy for the call.
            _ = unsafe unlink(draft)
            throw error
        }
    }
}
