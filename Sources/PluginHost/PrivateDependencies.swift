import Glibc
import Interfaces

/// The libraries that a plugin brings along: those it needs that lie beside it.
///
/// The staged copy lies elsewhere, so that a `RUNPATH` of `$ORIGIN` would not lead to them. Each is opened
/// from its original place first, which the dynamic loader then recognises by its SONAME; one without a
/// SONAME it recognises by the link that is laid beside the copy.
struct PrivateDependencies {
    private let found: [(name: String, path: String)]
    private let folder: String

    /// - Parameters:
    ///   - file: the staged copy.
    ///   - original: where it was copied from.
    ///   - staged: where it was copied to.
    init(of file: ELFFile, original: String, staged: String) {
        // Safe because the paths are borrowed for the call.
        let origin = Self.folder(of: original)
        found = file.needed.filter { !$0.contains("/") }.map { ($0, "\(origin)/\($0)") }
            .filter { unsafe access($0.1, R_OK) == 0 }
        folder = Self.folder(of: staged)
    }

    /// Opens them, and lays the links.
    ///
    /// - Throws: `DiagnosticCode.notLoaded` when the loader refuses one.
    func load() throws(PluginError) {
        for (name, path) in found {
            _ = try LoadedLibrary(path, library: path)
            // Safe because the paths are borrowed for the call. It fails when the copy has that name itself;
            // then the library needs itself, which the loader knows.
            _ = unsafe symlink(path, "\(folder)/\(name)")
        }
    }

    private static func folder(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}
