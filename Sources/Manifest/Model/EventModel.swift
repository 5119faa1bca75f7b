public import Diagnostics
public import Records

/// An event of a loop.
public struct EventModel: Sendable {
    /// Its name, unique in the loop.
    public let name: String
    /// The fields of its payload; empty for an event without.
    public let type: RecordType
    /// Where it is declared.
    public let span: SourceSpan

    /// An event declared at `span`.
    public init(name: String, type: RecordType, span: SourceSpan) {
        (self.name, self.type, self.span) = (name, type, span)
    }
}
