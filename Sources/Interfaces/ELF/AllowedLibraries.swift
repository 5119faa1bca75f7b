import Glibc

/// The libraries that an app may load: `app.plugins`.
///
/// A file may be loaded if it lies in one of the folders, or below. The file that links lead to counts, not the links.
public struct AllowedLibraries: Hashable, Sendable {
    private let entries: [String]
    /// The entries as paths; a folder need not exist.
    private let folders: [String]

    /// - Parameters:
    ///   - entries: folders, relative to the manifest's folder, and names of libraries of the system.
    ///   - folder: the manifest's folder.
    /// - Throws: `InterfaceError` for an entry that is empty or has a NUL character.
    public init(_ entries: [String], manifestFolder folder: String) throws(InterfaceError) {
        self.entries = entries
        var folders: [String] = []
        for entry in entries { folders.append(try LibraryLocation.absolute(entry, manifestFolder: folder)) }
        self.folders = folders
    }

    /// Checks a library of the system, which only the dynamic loader finds.
    ///
    /// - Throws: `InterfaceError` if its name is none of the entries (`libraryNotAllowed`).
    public func check(system name: String) throws(InterfaceError) {
        guard !entries.contains(name) else { return }
        throw InterfaceError(
            .libraryNotAllowed, "`app.plugins` does not allow `\(name)`, a library of the system",
            help: ["add it, if you trust it: `app.plugins = \((entries + [name]).toml)`"])
    }

    /// Checks an open file. The caller keeps the descriptor. Messages name `path`.
    ///
    /// - Throws: `InterfaceError` if it is in none of the folders (`libraryNotAllowed`).
    public func check(descriptor: Int32, path: String) throws(InterfaceError) {
        // The name of the file itself, which the system has found when it opened it.
        let file = Self.real("/proc/self/fd/\(descriptor)")
        let isAllowed = folders.contains { folder in
            Self.real(folder).map { $0 == "/" || file?.hasPrefix($0 + "/") == true } == true
        }
        guard !isAllowed else { return }
        let place = file.map { $0 == path ? "" : ", which is `\($0)`" } ?? ""
        throw InterfaceError(
            .libraryNotAllowed, "`app.plugins` does not allow `\(path)`\(place)",
            help: ["move it into one of the folders, or add its folder, if you trust all that is in it"])
    }

    /// Checks the file at a path.
    ///
    /// - Throws: `InterfaceError` if it is in none of the folders (`libraryNotAllowed`). A file that cannot be opened is
    ///   not refused: it cannot be loaded either.
    public func check(path: String) throws(InterfaceError) {
        // Safe because the path is borrowed for the call. `O_NONBLOCK`, as opening a pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        try check(descriptor: descriptor, path: path)
    }

    /// The path without links; nil for a file that does not exist.
    private static func real(_ path: String) -> String? {
        // Safe because the path is borrowed for the call, and the result is freed here.
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}

extension [String] {
    /// A list of strings in TOML.
    fileprivate var toml: String { "[\(map { "\"\($0)\"" }.joined(separator: ", "))]" }
}
