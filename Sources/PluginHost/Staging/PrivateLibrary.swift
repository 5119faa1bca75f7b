import Glibc
import HostLoop
import Interfaces

/// A library that a plugin brings along: one that it needs and that lies beside it, or where its `RUNPATH` leads.
///
/// The first version is mapped from where it lies, under its own name, as any program would have it. The dynamic
/// loader knows a library by its name, and would bind a later version to the first. So the host maps a later version
/// from a copy, whose name is changed in it and in the copies that need it.
final class PrivateLibrary: Sendable {
    /// Where it lies for its plugin.
    let original: String
    /// What is mapped: `original`, or a copy, which is removed with this object.
    let path: String
    /// What those that need it must call it.
    let name: String
    /// Whether `name` is its own name (`DT_SONAME`); else the loader looks for the file at first.
    let isKnownByName: Bool
    /// Tells its content from others: a hash over it and the private libraries that it needs.
    let hash: String

    init(original: String, path: String, name: String, isKnownByName: Bool, hash: String) {
        (self.original, self.path, self.name) = (original, path, name)
        (self.isKnownByName, self.hash) = (isKnownByName, hash)
    }

    deinit { if path != original { StagingDirectory.vacate(path) } }

    private struct Known {
        /// By their originals: what plugins that are loaded from now on share, while it has the content of its file.
        var libraries: [String: PrivateLibrary] = [:]
        var names: Set<String> = []
        var renamed = 0
    }

    private static let known = Lock(Known())

    /// The library that this process has of a file; nil when it has none, or its copy is not there any more.
    static func loaded(from original: String) -> PrivateLibrary? {
        let library = known.withLock { $0.libraries[original] }
        // Safe because the path is borrowed for the call.
        return library.flatMap { unsafe access($0.path, R_OK) == 0 ? $0 : nil }
    }

    /// Whether the process has a library under a name that no plugin has brought along, such as one of the host's.
    static func isOfProcess(_ name: String) -> Bool {
        guard !isTaken(name) else { return false }
        // Safe because the loader keeps no pointer to the name, and the handle is closed at once.
        guard let handle = unsafe dlopen(name, RTLD_LAZY | RTLD_NOLOAD) else { return false }
        unsafe dlclose(handle)
        return true
    }

    /// Whether a plugin has brought along a library of that name.
    static func isTaken(_ name: String) -> Bool { known.withLock { $0.names.contains(name) } }

    /// Another name for a copy, which no other has; nil when the name is too short for that.
    static func newName(for name: String) -> String? {
        let number = known.withLock { known in
            known.renamed += 1
            return known.renamed
        }
        return ELFFile.renamed(name, number: number)
    }

    /// Maps it, and has plugins that are loaded from now on share it.
    ///
    /// - Throws: `DiagnosticCode.notLoaded` when the loader refuses it.
    func load() throws(PluginError) {
        _ = try LoadedLibrary(path, library: original)
        Self.known.withLock { known in
            known.libraries[original] = self
            // The loader remembers by which name it found a library, whether that is its own or not.
            known.names.insert(name)
        }
    }
}
