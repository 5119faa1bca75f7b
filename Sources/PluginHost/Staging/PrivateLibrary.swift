import Glibc
import HostLoop
import Interfaces

/// A private library of a plugin: the plugin needs it, and it is beside the plugin or in a folder of the
/// `RUNPATH`.
///
/// The host maps the first version from its own file, under its own name. The dynamic loader identifies a
/// library by its name, and would bind a later version to the first. So the host maps a later version from a
/// copy with another name. It writes that name into the copy, and into the copies that need it.
final class PrivateLibrary: Sendable {
    /// The path of the library's file.
    let original: String
    /// The path that is mapped: `original`, or a copy, which is removed with this object.
    let path: String
    /// The name by which other libraries must need it.
    let name: String
    /// Whether `name` is its `DT_SONAME`. If not, the loader first looks for a file of that name.
    let isKnownByName: Bool
    /// Identifies the version: a hash over its content and the private libraries that it needs.
    let hash: String

    init(original: String, path: String, name: String, isKnownByName: Bool, hash: String) {
        (self.original, self.path, self.name) = (original, path, name)
        (self.isKnownByName, self.hash) = (isKnownByName, hash)
    }

    deinit { if path != original { StagingDirectory.removeCopy(path) } }

    private struct Known {
        /// The newest loaded version of each file, by `original`. Plugins share it until the file changes.
        var libraries: [String: PrivateLibrary] = [:]
        var names: Set<String> = []
        var renamed = 0
    }

    private static let known = Lock(Known())

    /// The newest loaded version of a file; nil if there is none, or its copy is removed.
    static func loaded(from original: String) -> PrivateLibrary? {
        let library = known.withLock { $0.libraries[original] }
        // Safe because the path is borrowed for the call.
        return library.flatMap { unsafe access($0.path, R_OK) == 0 ? $0 : nil }
    }

    /// Whether the process has a library of that name that is no plugin's private library, such as one of the
    /// host's.
    static func isOfProcess(_ name: String) -> Bool {
        guard !isTaken(name) else { return false }
        // Safe because the loader keeps no pointer to the name, and the handle is closed at once.
        guard let handle = unsafe dlopen(name, RTLD_LAZY | RTLD_NOLOAD) else { return false }
        unsafe dlclose(handle)
        return true
    }

    /// Whether a private library of that name is loaded.
    static func isTaken(_ name: String) -> Bool { known.withLock { $0.names.contains(name) } }

    /// A new, unique name for a copy; nil if the name is too short to be changed.
    static func newName(for name: String) -> String? {
        let number = known.withLock { known in
            known.renamed += 1
            return known.renamed
        }
        return ELFFile.renamed(name, number: number)
    }

    /// Maps the library. Plugins that are loaded later share it.
    ///
    /// - Throws: `DiagnosticCode.notLoaded` when the loader refuses it.
    func load() throws(PluginError) {
        _ = try LoadedLibrary(path, library: original)
        Self.known.withLock { known in
            known.libraries[original] = self
            // The loader also remembers the name that it found a library by, even if its `DT_SONAME` differs.
            known.names.insert(name)
        }
    }
}
