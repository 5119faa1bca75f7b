import Glibc
import HostLoop
import PluginHost

/// The name of an app, claimed for one host: it alone listens at the app's socket. May be used from any thread.
///
/// A lock on a file beside the socket decides, which the system lets go of when the process ends, however it does. A socket
/// that is left over is replaced by who has the lock.
public final class ControlClaim: Sendable {
    /// The socket's path.
    public let path: String
    let listener: LocalSocket
    // nil once the files are removed.
    private let lock: Lock<Int32?>

    /// Claims the name of an app.
    ///
    /// - Throws: when another host has it, or the socket cannot be made.
    public init(_ app: String, in place: ControlPlace = ControlPlace()) throws(ControlUnavailable) {
        path = try place.socket(of: app)
        try place.make()
        let descriptor = try Self.locked(path, app)
        do throws(ControlUnavailable) {
            try Self.removeStale(path, app)
            do { listener = try LocalSocket.listening(at: path) } catch {
                throw ControlUnavailable("`\(path)` cannot be made: \(error.text)")
            }
        } catch {
            Self.removeLock(descriptor, path)
            throw error
        }
        lock = Lock(descriptor)
    }

    deinit { remove() }

    /// Removes the socket's file and lets go of the name; harmless when repeated. Connections stay.
    public func remove() {
        guard let descriptor = lock.exchange(nil) else { return }
        // Safe because the path is a NUL-terminated copy for the call.
        _ = unsafe unlink(path)
        Self.removeLock(descriptor, path)
    }

    private static func inUse(_ path: String, _ app: String) -> ControlUnavailable {
        ControlUnavailable(
            "name `\(app)` is in use: another host listens at `\(path)`",
            help: ["stop that one, or give this app another `name`"])
    }

    private static func lockFile(_ path: String) -> String { "\(path.dropLast(5)).lock" }

    /// The descriptor of the lock file, locked.
    private static func locked(_ path: String, _ app: String) throws(ControlUnavailable) -> Int32 {
        let file = lockFile(path)
        while true {
            // Safe because the path is a NUL-terminated copy for the call.
            let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else {
                throw ControlUnavailable("`\(file)` cannot be made: \(SystemError(number: errno).text)")
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
            // Who had it has removed it meanwhile.
            close(descriptor)
        }
    }

    private static func removeLock(_ descriptor: Int32, _ path: String) {
        // While it is locked: nobody else can have locked this very file.
        // Safe because the path is a NUL-terminated copy for the call.
        _ = unsafe unlink(lockFile(path))
        close(descriptor)
    }

    /// Removes the socket of a host that is gone.
    private static func removeStale(_ path: String, _ app: String) throws(ControlUnavailable) {
        var status = stat()
        // Safe because path and structure live for the call.
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlUnavailable(
                "`\(path)` is there, and is no socket", help: ["remove it, or give the app another `name`"])
        }
        // A program that does not lock may listen there.
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
