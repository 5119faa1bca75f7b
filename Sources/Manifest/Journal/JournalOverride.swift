/// What a command line says of the journal of an app: `--journal FILE` and `--durable MODE`.
public struct JournalOverride: Hashable, Sendable {
    /// The journal's file, from the current folder on; nil for the manifest's.
    public let file: String?
    /// When a step is safe on the disk; nil for what the manifest says.
    public let durability: JournalModel.Durability?

    /// Replaces the manifest's file and durability; nil: not.
    public init(file: String? = nil, durability: JournalModel.Durability? = nil) {
        (self.file, self.durability) = (file, durability)
    }
}
