import Diagnostics
import Glibc

/// The location of a plugin's library.
public enum LibraryLocation: Hashable, Sendable {
    /// A file, by its absolute path. The host copies it before it loads it, and can watch and swap it.
    case file(String)
    /// A name for the dynamic loader: a library of the system, which the host loads without a copy.
    case system(String)

    /// Finds the library that a manifest names.
    ///
    /// `spin:NAME` is a plugin that comes with the host. A name with a `/` is a path relative to the manifest's
    /// folder, which need not exist. A bare name is the first file of that name in the folders of `pluginPath`
    /// (each relative to the manifest's folder). If no folder has it, the name is for the dynamic loader. A
    /// relative manifest folder is relative to the current folder. It opens no file.
    ///
    /// - Throws: `InterfaceError` for a name that no file can have, and for a plugin that does not come with
    ///   the host.
    public static func resolve(
        library: String, manifestFolder: String, pluginPath: [String]
    ) throws(InterfaceError) -> LibraryLocation {
        guard !library.isEmpty else {
            throw InterfaceError(
                .libraryName, "the library's name is empty", help: ["name a file or a library of the system"])
        }
        // The system would cut the name at the first NUL.
        guard !([library, manifestFolder] + pluginPath).contains(where: { $0.utf8.contains(0) }) else {
            throw InterfaceError(.libraryName, "the library's name contains a NUL character")
        }
        if let path = try IncludedPlugin.path(of: library) { return .file(path) }
        guard !library.utf8.contains(UInt8(ascii: "/")) else {
            return .file(try absolute(library, from: manifestFolder))
        }
        guard library != ".", library != ".." else {
            throw InterfaceError(.libraryName, "`\(library)` is a folder, expected a library")
        }
        for folder in pluginPath {
            let path = try absolute(folder + "/" + library, from: manifestFolder)
            // Safe because the path is NUL-terminated for the call.
            if unsafe access(path, F_OK) == 0 { return .file(path) }
        }
        return .system(library)
    }

    /// The absolute path of a folder that a manifest names, relative to the manifest's folder.
    ///
    /// - Throws: `InterfaceError` for a name that no folder can have.
    static func absolute(_ name: String, manifestFolder: String) throws(InterfaceError) -> String {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw InterfaceError(.libraryName, "a folder's name is empty, or contains a NUL character")
        }
        return try absolute(name, from: manifestFolder)
    }

    private static func absolute(_ path: String, from folder: String) throws(InterfaceError) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return tidied(path) }
        if folder.utf8.first == UInt8(ascii: "/") { return tidied(folder + "/" + path) }
        // Safe because a null buffer makes `getcwd` allocate the text, which is freed here.
        guard let current = unsafe getcwd(nil, 0) else {
            throw InterfaceError(
                .libraryName, "`\(path)` cannot be resolved: the current folder does not exist any more")
        }
        defer { unsafe free(current) }
        return tidied(unsafe String(cString: current) + "/" + folder + "/" + path)
    }

    /// The path without empty parts and `.`. It keeps `..`, which after a symbolic link does not undo the
    /// part before it.
    private static func tidied(_ path: String) -> String {
        // Splits bytes, because a combining character after `/` would hide it in a split of characters.
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        return "/" + parts.filter { $0 != "." }.joined(separator: "/")
    }
}
