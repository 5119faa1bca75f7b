import Glibc

/// The libraries that an app may load: `app.plugins`.
///
/// A file may be loaded if it lies in one of the folders, or below, or is itself an entry. If its path has
/// symbolic links, the file counts that they lead to. An entry `spin:NAME` allows the plugin of that name that
/// comes with the host. Names are compared byte by byte.
public struct AllowedLibraries: Hashable, Sendable {
    private let entries: [String]
    /// The entries as paths of folders and files, which need not exist.
    private let paths: [String]

    /// - Parameters:
    ///   - entries: folders and files, relative to the manifest's folder, names of libraries of the system, and plugins
    ///     that come with the host.
    ///   - folder: the manifest's folder.
    /// - Throws: `InterfaceError` for an entry that is empty or has a NUL character, and for a plugin that does not
    ///   come with the host.
    public init(_ entries: [String], manifestFolder folder: String) throws(InterfaceError) {
        self.entries = entries
        var paths: [String] = []
        for entry in entries {
            if let included = try IncludedPlugin.path(of: entry) {
                paths.append(included)
            } else {
                paths.append(try LibraryLocation.absolute(entry, manifestFolder: folder))
            }
        }
        self.paths = paths
    }

    /// Checks a library of the system, which only the dynamic loader finds.
    ///
    /// - Throws: `InterfaceError` if no entry is its name (`libraryNotAllowed`).
    public func check(system name: String) throws(InterfaceError) {
        guard !entries.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { return }
        throw InterfaceError(
            .libraryNotAllowed, "`app.plugins` does not allow `\(name)`, a library of the system",
            help: ["add its name to `app.plugins`, if you trust it"])
    }

    /// Checks an open file. The caller keeps the descriptor. Messages name `path`.
    ///
    /// - Throws: `InterfaceError` if no entry allows it (`libraryNotAllowed`).
    public func check(descriptor: Int32, path: String) throws(InterfaceError) {
        guard let file = Self.path(of: descriptor) else {
            throw InterfaceError(
                .libraryNotAllowed, "`app.plugins` cannot check `\(path)`",
                help: ["the host reads the path of an open file in `/proc`: mount it"])
        }
        let place = file + [UInt8(ascii: "/")]
        guard !paths.contains(where: { Self.real($0).map { place.starts(with: $0) } == true }) else { return }
        let name = String(decoding: file, as: UTF8.self)
        throw InterfaceError(
            .libraryNotAllowed,
            "`app.plugins` does not allow `\(path)`\(name == path ? "" : ", which is `\(name)`")",
            help: ["move it into one of the folders, or add its folder, if you trust all that is in it"])
    }

    /// Checks the file at a path.
    ///
    /// - Throws: `InterfaceError` if no entry allows it (`libraryNotAllowed`). A file that cannot be opened is
    ///   not refused: it cannot be loaded either.
    public func check(path: String) throws(InterfaceError) {
        // Safe because the path is borrowed for the call. `O_NONBLOCK`, as opening a pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        try check(descriptor: descriptor, path: path)
    }

    /// The path of an open file, as the system has found it: nothing that happens to the path later changes it.
    private static func path(of descriptor: Int32) -> [UInt8]? {
        // Safe because the system writes at most as many bytes as there are.
        let path = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            let size = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                unsafe readlink("/proc/self/fd/\(descriptor)", text.baseAddress!, text.count)
            }
            count = max(0, size)
        }
        return path.isEmpty ? nil : path
    }

    /// A path without links, with `/` at its end; nil if nothing is there.
    private static func real(_ folder: String) -> [UInt8]? {
        // Safe because the path is borrowed for the call, and the result is freed here.
        guard let found = unsafe realpath(folder, nil) else { return nil }
        defer { unsafe free(found) }
        let path = unsafe UnsafeBufferPointer(start: found, count: strlen(found)).map {
            UInt8(bitPattern: $0)
        }
        return path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]
    }
}
