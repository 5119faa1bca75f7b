import Interfaces

/// The private copy of a library, which nobody writes to, with the private libraries that it needs. The copies are
/// removed with the last reference; what is mapped from them stays mapped.
public final class StagedLibrary: Sendable {
    /// The file that was copied, an absolute path.
    public let original: String
    /// The copy, an absolute path.
    public let path: String
    /// Tells versions apart: a hash over the content of the file and of its private libraries.
    public let hash: String
    /// What has to be opened before the copy, in order: the paths of its private libraries.
    public let libraryPaths: [String]

    /// What the file says about itself; nil when it is to be read.
    let file: ELFFile?
    private let libraries: [PrivateLibrary]
    private let links: [String]
    private let isOwner: Bool

    /// A copy that another process has made, which is that one's to remove.
    public init(original: String, path: String, hash: String, libraryPaths: [String]) {
        (self.original, self.path, self.hash, self.libraryPaths) = (original, path, hash, libraryPaths)
        (file, libraries, links, isOwner) = (nil, [], [], false)
    }

    init(original: String, path: String, hash: String, file: ELFFile, _ libraries: PrivateLibraries) {
        (self.original, self.path, self.hash, self.file) = (original, path, hash, file)
        (self.libraries, links, isOwner) = (libraries.all, libraries.links, true)
        libraryPaths = libraries.all.map(\.path)
    }

    deinit { if isOwner { StagingDirectory.vacate(path, removing: links) } }

    /// The files that it was made of, absolute paths: the library's own first, then its private libraries'.
    public var files: [String] { [original] + libraries.map(\.original) }

    /// Opens its private libraries.
    ///
    /// - Throws: `DiagnosticCode.notLoaded` when the loader refuses one.
    func loadLibraries() throws(PluginError) {
        for library in libraries { try library.load() }
        guard libraries.isEmpty else { return }
        for path in libraryPaths { _ = try LoadedLibrary(path, library: path) }
    }
}
