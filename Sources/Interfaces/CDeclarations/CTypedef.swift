/// A `typedef` of a text in C.
public struct CTypedef: Hashable, Sendable {
    /// The name that it declares.
    public let name: String
    /// What the name stands for.
    public let type: CType
    /// Where the declaration stands in the parsed text, as UTF-8 offsets.
    public let range: Range<Int>
    /// The declaration as it was written, without comments and `;`, white space collapsed.
    public let text: String
}
