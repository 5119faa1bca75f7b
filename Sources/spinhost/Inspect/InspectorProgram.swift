import Glibc

/// Finds `spinhost-inspector`, which serves the page of an app.
enum InspectorProgram {
    /// The name of the program.
    static let name = "spinhost-inspector"

    /// What to do when the program is missing.
    static let help = [
        "in a checkout, type: script/inspector release",
        "install it beside `spinhost`, in a folder of PATH, or name it in SPINHOST_INSPECTOR",
    ]

    /// The path of the program: the value of `SPINHOST_INSPECTOR`. Without this variable, the program is beside
    /// `spinhost`, or else in PATH. Nil if there is no such program, or if the variable is empty.
    static var path: String? {
        if let other = variable("SPINHOST_INSPECTOR") { return isProgram(other) ? other : nil }
        var folders: [String] = []
        if let program = InstalledPackage.program, let end = program.lastIndex(of: "/") {
            folders.append(String(program[..<end]))
        }
        folders += (variable("PATH") ?? "").split(separator: ":").map(String.init)
        return folders.lazy.map { "\($0)/\(name)" }.first(where: isProgram)
    }

    /// Whether the user wants no inspector: the variable is there, and empty.
    static var isOff: Bool { variable("SPINHOST_INSPECTOR") == "" }

    private static func variable(_ name: String) -> String? {
        // Safe because the environment is not changed while the program runs, and the text is copied.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Whether the path names a file that this user may run.
    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        // Safe because path and structure live for the call.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        // Safe because the path is a NUL-terminated copy for the call.
        return unsafe access(path, X_OK) == 0
    }

    /// Runs the program in place of this one. It inherits no descriptor but the standard ones.
    ///
    /// - Parameter path: the program.
    /// - Throws: an exit code, after the reason was printed.
    static func replaceThisProgram(by path: String, _ arguments: [String]) throws -> Never {
        // Safe because the texts are NUL-terminated copies, null ends their list, and they are only freed if the call
        // fails.
        let words: [UnsafeMutablePointer<CChar>?] =
            unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        unsafe _ = execv(path, words)
        let number = errno
        // Safe because the text is copied at once.
        ErrorOutput.show(
            "`\(path)` cannot be run: \(unsafe String(cString: strerror(number)))", help: help)
        throw ExitStatus.unavailable
    }
}
