/// The private copy of a library, which nobody writes to.
public struct StagedLibrary: Hashable, Sendable {
    /// The file that was copied, an absolute path.
    public let original: String
    /// The copy, an absolute path.
    public let path: String
    /// The `PluginImage.hash` of its content.
    public let hash: String

    /// A copy that is there.
    public init(original: String, path: String, hash: String) {
        (self.original, self.path, self.hash) = (original, path, hash)
    }
}
