public import Diagnostics
public import Records

/// A message that a gear passes on.
public struct GearMessageModel: Sendable {
    /// Its name, unique in the gear.
    public let name: String
    /// The fields of its payload; empty for a message without.
    public let type: RecordType
    /// Where it is declared.
    public let span: SourceSpan

    /// A message declared at `span`.
    public init(name: String, type: RecordType, span: SourceSpan) {
        (self.name, self.type, self.span) = (name, type, span)
    }
}
