import CLinux
import Glibc
import PluginHost

/// The folder of one user's control sockets, which no other user can open.
///
/// It is `$XDG_RUNTIME_DIR/spinhost`, or `/tmp/spinhost-UID` if that variable is not set.
public struct ControlFolder: Sendable {
    /// The folder's path.
    public let path: String

    /// The folder of the user who runs this process.
    public init() {
        // Safe because the environment is not changed while the program runs, and the text is copied.
        let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
        // The XDG specification requires that relative paths are ignored.
        path =
            runtime.flatMap { $0.hasPrefix("/") ? "\($0)/spinhost" : nil } ?? "/tmp/spinhost-\(geteuid())"
    }

    /// Beside that folder: one for the sockets of journals that are shown. No verb takes them for apps.
    public static var journals: ControlFolder { ControlFolder(path: "\(ControlFolder().path)-journals") }

    private init(path: String) { self.path = path }

    /// Whether an app can have this name.
    public static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// The path of the socket of an app.
    ///
    /// - Precondition: the name is valid (`isName`).
    /// - Throws: if the path is too long for a socket.
    public func socket(of app: String) throws(ControlUnavailable) -> String {
        let socket = "\(path)/\(app).sock"
        let length = socket.utf8.count
        guard length <= LocalSocket.longestPath else {
            throw ControlUnavailable(
                "the path of a socket can have at most \(LocalSocket.longestPath) bytes, but `\(socket)` has \(length)",
                help: ["set XDG_RUNTIME_DIR to a shorter path, or give the app a shorter `name`"])
        }
        return socket
    }

    /// Creates the folder if it does not exist.
    ///
    /// - Throws: if it cannot be created, or is not safe (`check`).
    func create() throws(ControlUnavailable) {
        // Safe because the path is a NUL-terminated copy for the call.
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            let reason = SystemError(number: errno).text
            throw ControlUnavailable(
                "the folder `\(path)` for control sockets cannot be created: \(reason)",
                help: ["set XDG_RUNTIME_DIR to a folder of yours, or unset it"])
        }
        try check()
    }

    /// Whether a file or folder exists at the path.
    var exists: Bool {
        var status = stat()
        // Safe because path and structure live for the call.
        return unsafe lstat(path, &status) == 0
    }

    /// Checks that only this user can open the folder.
    ///
    /// - Throws: if it is not a folder, belongs to another user, or other users can open it.
    func check() throws(ControlUnavailable) {
        var status = stat()
        // Safe because path and structure live for the call.
        guard unsafe lstat(path, &status) == 0 else {
            let reason = SystemError(number: errno).text
            throw ControlUnavailable("the folder `\(path)` for control sockets cannot be used: \(reason)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            throw ControlUnavailable(
                "the path `\(path)` for control sockets is \(isLink ? "a symbolic link" : "not a folder")",
                help: ["remove it, if it is yours; else set XDG_RUNTIME_DIR to a folder of yours"])
        }
        guard status.st_uid == geteuid() else {
            throw ControlUnavailable(
                "the folder `\(path)` for control sockets belongs to user \(status.st_uid)",
                help: ["set XDG_RUNTIME_DIR to a folder of yours"])
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ControlUnavailable(
                "other users can open the folder `\(path)` for control sockets",
                help: ["type: chmod 700 '\(path)'"])
        }
    }

    /// The names of the sockets in the folder, in order. The host of a socket may have ended.
    func names() -> [String] {
        // Safe because the path is a NUL-terminated copy for the call.
        guard let directory = unsafe opendir(path) else { return [] }
        // Safe because it is closed once, after its last use.
        defer { unsafe _ = closedir(directory) }
        var names: [String] = []
        // Safe because the entry does not change until the next one is read.
        while let entry = unsafe readdir(directory) {
            let name = unsafe String(cString: linux_entry_name(entry))
            if name.hasSuffix(".sock") { names.append(String(name.dropLast(5))) }
        }
        return names.filter(Self.isName).sorted()
    }
}
