/// A note of an ELF file: data that is there to be read by tools, not by the program.
public struct ELFNote: Hashable, Sendable {
    /// Whose note it is, without the NUL at the end.
    public let owner: String
    /// What it is, by the owner's own numbering.
    public let type: UInt32
    /// The content.
    public let descriptor: [UInt8]
}
