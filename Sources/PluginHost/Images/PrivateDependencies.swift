import Glibc
import Interfaces

/// The libraries that a plugin brings along: those it needs that lie beside it, or where its `RUNPATH` leads.
///
/// The staged copy lies elsewhere, so that an `$ORIGIN` in its `RUNPATH` would not lead to them. Each is
/// opened from its original place first, which the dynamic loader then recognises by its SONAME; one
/// without a SONAME it recognises by a link that is laid where the copy's `RUNPATH` leads.
struct PrivateDependencies: Sendable {
    private struct Dependency: Sendable {
        let name: String
        let path: String
        /// Where the loader looks for it on behalf of the copy.
        let linkFolder: String
    }

    private let found: [Dependency]
    /// The folder that links may be laid in, at any depth.
    private let root: String

    /// - Parameters:
    ///   - file: the staged copy.
    ///   - original: where it was copied from.
    ///   - staged: where it was copied to.
    init(of file: ELFFile, original: String, staged: String) {
        let (origin, folder) = (Self.folder(of: original), Self.folder(of: staged))
        root = Self.folder(of: folder)
        // Relative folders, and `$LIB` and `$PLATFORM`, mean the same for the copy.
        let searched = file.searchPath.map { (Self.expand($0, origin), Self.expand($0, folder)) }
            .filter { $0.0.hasPrefix("/") && !$0.0.contains("$") }
        found = file.needed.filter { !$0.contains("/") }.compactMap { name in
            (searched + [(origin, folder)]).first { place in
                // Safe because the path is borrowed for the call.
                unsafe access("\(place.0)/\(name)", R_OK) == 0
            }.map { Dependency(name: name, path: "\($0.0)/\(name)", linkFolder: $0.1) }
        }
    }

    /// Opens them, and lays the links.
    ///
    /// - Throws: `DiagnosticCode.notLoaded` when the loader refuses one.
    func load() throws(PluginError) {
        var waiting = found
        while !waiting.isEmpty {
            // One may need another one, which the loader knows once that is open.
            var refused: [Dependency] = []
            var reason: PluginError?
            for dependency in waiting {
                do throws(PluginError) {
                    _ = try LoadedLibrary(dependency.path, library: dependency.path)
                    layLink(to: dependency)
                } catch {
                    refused.append(dependency)
                    reason = error
                }
            }
            if let reason, refused.count == waiting.count { throw reason }
            waiting = refused
        }
    }

    private func layLink(to dependency: Dependency) {
        // Where the copy's path leads out of the host's own folder, it leads both to the same place.
        guard dependency.linkFolder.hasPrefix(root + "/") else { return }
        var (folder, depth) = (root, 0)
        // Safe because the paths are borrowed for the calls. They fail when folder or link are there already,
        // or the copy has that name itself; then the library needs itself, which the loader knows.
        for part in dependency.linkFolder.dropFirst(root.count).split(separator: "/") where part != "." {
            depth += part == ".." ? -1 : 1
            guard depth >= 0 else { return }
            folder += "/\(part)"
            _ = unsafe mkdir(folder, 0o700)
        }
        _ = unsafe symlink(dependency.path, "\(folder)/\(dependency.name)")
    }

    /// A folder of the search path for a library in `origin`.
    private static func expand(_ folder: String, _ origin: String) -> String {
        folder.replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
