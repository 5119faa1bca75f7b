/// A note of an ELF file: data for tools, not for the program.
public struct ELFNote: Hashable, Sendable {
    /// The name of its owner, without the NUL at the end.
    public let owner: String
    /// Its kind, in the owner's numbering.
    public let type: UInt32
    /// The content.
    public let descriptor: [UInt8]
}
