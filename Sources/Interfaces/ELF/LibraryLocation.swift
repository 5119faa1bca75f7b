import Diagnostics
import Glibc

/// Where the library of a plugin is.
public enum LibraryLocation: Hashable, Sendable {
    /// A file, by absolute path. It is copied before it is loaded, and may be watched and swapped.
    case file(String)
    /// A name for the dynamic loader: a library of the system, opened as it is.
    case system(String)

    /// Finds a library as a manifest names it.
    ///
    /// A name with a `/` is a path from the manifest's folder; whether it exists is not asked here. A bare name is the
    /// first file of that name in the folders of `pluginPath` (each from the manifest's folder), else the dynamic
    /// loader's business. Relative folders are taken from the current one. Reads folders, opens nothing.
    ///
    /// - Throws: `InterfaceError` for a name that can be no file's.
    public static func resolve(
        library: String, manifestFolder: String, pluginPath: [String]
    ) throws(InterfaceError) -> LibraryLocation {
        guard !library.isEmpty else {
            throw InterfaceError(
                .libraryName, "the library has no name", help: ["name a file or a library of the system"])
        }
        // The first NUL would end the name for the system.
        guard !([library, manifestFolder] + pluginPath).contains(where: { $0.utf8.contains(0) }) else {
            throw InterfaceError(.libraryName, "the library's name contains a NUL character")
        }
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

    private static func absolute(_ path: String, from folder: String) throws(InterfaceError) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return tidied(path) }
        if folder.utf8.first == UInt8(ascii: "/") { return tidied(folder + "/" + path) }
        // Safe because a null buffer makes `getcwd` allocate the text, which is freed here.
        guard let current = unsafe getcwd(nil, 0) else {
            throw InterfaceError(.libraryName, "the current folder is gone, so `\(path)` leads nowhere")
        }
        defer { unsafe free(current) }
        return tidied(unsafe String(cString: current) + "/" + folder + "/" + path)
    }

    /// Without empty parts and `.`; `..` stays, because behind a symbolic link it is not the folder before.
    private static func tidied(_ path: String) -> String {
        // By bytes: a combining character behind `/` must not hide it.
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        return "/" + parts.filter { $0 != "." }.joined(separator: "/")
    }
}
