/// A `typedef` in a C text.
public struct CTypedef: Hashable, Sendable {
    /// The name that it declares.
    public let name: String
    /// The type that the name means.
    public let type: CType
    /// The declaration's range in the parsed text, in UTF-8 offsets.
    public let range: Range<Int>
    /// The declaration as written, without comments and `;`, and with single spaces.
    public let text: String
}
