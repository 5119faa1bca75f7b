import Interfaces

/// The copy of a library, which no other program writes to, and its private libraries. The copies are removed
/// with the last reference. Libraries that are mapped from them stay mapped.
public final class StagedLibrary: Sendable {
    /// The file that was copied, an absolute path.
    public let original: String
    /// The copy, an absolute path.
    public let path: String
    /// Identifies the version: a hash over the contents of the file and of its private libraries.
    public let hash: String
    /// The paths of its private libraries, in the order in which they must be opened before the copy.
    public let libraryPaths: [String]

    /// The contents of the copy's ELF headers; nil if they are not read yet.
    let file: ELFFile?
    private let libraries: [PrivateLibrary]
    private let links: [String]
    private let isOwner: Bool

    /// A copy that another process has made, and will remove.
    public init(original: String, path: String, hash: String, libraryPaths: [String]) {
        (self.original, self.path, self.hash, self.libraryPaths) = (original, path, hash, libraryPaths)
        (file, libraries, links, isOwner) = (nil, [], [], false)
    }

    init(original: String, path: String, hash: String, file: ELFFile, _ libraries: PrivateLibraries) {
        (self.original, self.path, self.hash, self.file) = (original, path, hash, file)
        (self.libraries, links, isOwner) = (libraries.all, libraries.links, true)
        libraryPaths = libraries.all.map(\.path)
    }

    deinit { if isOwner { StagingDirectory.removeCopy(path, removing: links) } }

    /// Opens the private libraries.
    ///
    /// - Throws: `DiagnosticCode.notLoaded` when the loader refuses one.
    func loadLibraries() throws(PluginError) {
        for library in libraries { try library.load() }
        guard libraries.isEmpty else { return }
        for path in libraryPaths { _ = try LoadedLibrary(path, library: path) }
    }
}
