import Glibc
import PluginHost

/// Where the control sockets of one user are: a folder that nobody else can reach.
///
/// `$XDG_RUNTIME_DIR/spinhost`, or `/tmp/spinhost-UID` where there is no such variable.
public struct ControlPlace: Sendable {
    /// The folder.
    public let folder: String

    /// The place of the user who runs this process.
    public init() {
        // Safe because the environment is not changed while the program runs, and the text is copied.
        let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
        // The specification has relative paths ignored.
        folder =
            runtime.flatMap { $0.hasPrefix("/") ? "\($0)/spinhost" : nil } ?? "/tmp/spinhost-\(geteuid())"
    }

    /// Whether an app can have this name.
    public static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// The socket of the app of that name, which is one (`isName`).
    ///
    /// - Throws: when no socket can have so long a path.
    public func socket(of app: String) throws(ControlUnavailable) -> String {
        let path = "\(folder)/\(app).sock"
        let length = path.utf8.count
        guard length <= LocalSocket.longestPath else {
            throw ControlUnavailable(
                "the path of a socket has at most \(LocalSocket.longestPath) bytes, and `\(path)` has \(length)",
                help: ["set XDG_RUNTIME_DIR to a shorter path, or give the app a shorter `name`"])
        }
        return path
    }

    /// Makes the folder if it is not there.
    ///
    /// - Throws: when it cannot be made, or is not safe (`check`).
    func make() throws(ControlUnavailable) {
        // Safe because the path is a NUL-terminated copy for the call.
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            let reason = SystemError(number: errno).text
            throw ControlUnavailable(
                "the folder `\(folder)` for control sockets cannot be made: \(reason)",
                help: ["set XDG_RUNTIME_DIR to a folder of yours, or unset it"])
        }
        try check()
    }

    /// Whether there is anything at the folder's path.
    var exists: Bool {
        var status = stat()
        // Safe because path and structure live for the call.
        return unsafe lstat(folder, &status) == 0
    }

    /// - Throws: when the folder is none, belongs to somebody else, or can be reached by others.
    func check() throws(ControlUnavailable) {
        var status = stat()
        // Safe because path and structure live for the call.
        guard unsafe lstat(folder, &status) == 0 else {
            let reason = SystemError(number: errno).text
            throw ControlUnavailable("the folder `\(folder)` for control sockets cannot be used: \(reason)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            throw ControlUnavailable(
                "`\(folder)`, where control sockets belong, is \(isLink ? "a symbolic link" : "no folder")",
                help: ["remove it, if it is yours; set XDG_RUNTIME_DIR to a folder of yours, if not"])
        }
        guard status.st_uid == geteuid() else {
            throw ControlUnavailable(
                "the folder `\(folder)` for control sockets belongs to user \(status.st_uid)",
                help: ["set XDG_RUNTIME_DIR to a folder of yours"])
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ControlUnavailable(
                "the folder `\(folder)` for control sockets can be reached by other users",
                help: ["type: chmod 700 '\(folder)'"])
        }
    }

    /// The names of the sockets in the folder, in order; nobody may listen at them.
    func names() -> [String] {
        // Safe because the path is a NUL-terminated copy for the call.
        guard let directory = unsafe opendir(folder) else { return [] }
        // Safe because it is closed once, after its last use.
        defer { unsafe _ = closedir(directory) }
        var names: [String] = []
        // Safe because the entry stays as it is until the next one is read.
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".sock") { names.append(String(name.dropLast(5))) }
        }
        return names.filter(Self.isName).sorted()
    }
}
