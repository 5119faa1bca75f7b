import Glibc
import HostLoop
import PluginHost

/// A host's claim to the name of an app: only this host listens at the app's socket. May be used from any
/// thread.
///
/// The claim is a lock on a file beside the socket. The system releases it when the process ends in any way.
/// The holder of the lock replaces a socket that an earlier host has left.
public final class ControlClaim: Sendable {
    /// The socket's path.
    public let path: String
    let listener: LocalSocket
    // Nil once the files are removed.
    private let lock: Lock<Int32?>

    /// Claims the name of an app.
    ///
    /// - Throws: if another host has claimed it, or the socket cannot be created.
    public init(_ app: String, in folder: ControlFolder = ControlFolder()) throws(ControlUnavailable) {
        path = try folder.socket(of: app)
        try folder.create()
        let descriptor = try Self.locked(path, app)
        do throws(ControlUnavailable) {
            try Self.removeStale(path, app)
            do { listener = try LocalSocket.listening(at: path) } catch {
                throw ControlUnavailable("`\(path)` cannot be created: \(error.text)")
            }
        } catch {
            Self.removeLock(descriptor, path)
            throw error
        }
        lock = Lock(descriptor)
    }

    deinit { remove() }

    /// Removes the socket's file and releases the name. It may be called again. Open connections are not
    /// affected.
    public func remove() {
        guard let descriptor = lock.exchange(nil) else { return }
        // Safe because the path is a NUL-terminated copy for the call.
        _ = unsafe unlink(path)
        Self.removeLock(descriptor, path)
    }

    private static func inUse(_ path: String, _ app: String) -> ControlUnavailable {
        ControlUnavailable(
            "name `\(app)` is in use: another host listens at `\(path)`",
            help: ["stop that host, or give this app another `name`"])
    }

    private static func lockFile(_ path: String) -> String { "\(path.dropLast(5)).lock" }

    /// Creates and locks the lock file, and returns its descriptor.
    private static func locked(_ path: String, _ app: String) throws(ControlUnavailable) -> Int32 {
        let file = lockFile(path)
        while true {
            // Safe because the path is a NUL-terminated copy for the call.
            let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else {
                throw ControlUnavailable("`\(file)` cannot be created: \(SystemError(number: errno).text)")
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let number = errno
                close(descriptor)
                if number == EWOULDBLOCK { throw inUse(path, app) }
                throw ControlUnavailable("`\(file)` cannot be locked: \(SystemError(number: number).text)")
            }
            var (mine, present) = (stat(), stat())
            // Safe because path and structures live for the calls.
            let isPresent = unsafe fstat(descriptor, &mine) == 0 && lstat(file, &present) == 0
            if isPresent, mine.st_ino == present.st_ino, mine.st_dev == present.st_dev { return descriptor }
            // The former holder has removed the file meanwhile.
            close(descriptor)
        }
    }

    private static func removeLock(_ descriptor: Int32, _ path: String) {
        // The file is still locked, so no other host can have locked the same file.
        // Safe because the path is a NUL-terminated copy for the call.
        _ = unsafe unlink(lockFile(path))
        close(descriptor)
    }

    /// Removes the socket of a host that has ended.
    private static func removeStale(_ path: String, _ app: String) throws(ControlUnavailable) {
        var status = stat()
        // Safe because path and structure live for the call.
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlUnavailable(
                "`\(path)` exists and is not a socket", help: ["remove it, or give the app another `name`"])
        }
        // Another program, which does not use the lock, may listen there.
        var failure: SystemError?
        do { _ = try LocalSocket.connected(to: path) } catch { failure = error }
        guard let failure else { throw inUse(path, app) }
        guard failure.number == ECONNREFUSED else {
            throw ControlUnavailable("`\(path)` cannot be reached: \(failure.text)")
        }
        // Safe because the path is a NUL-terminated copy for the call.
        _ = unsafe unlink(path)
    }
}
