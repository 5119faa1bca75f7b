public import Diagnostics
public import Records

/// A message of a gear.
public struct GearMessageModel: Sendable {
    /// Its name, unique in the gear.
    public let name: String
    /// The fields of its payload; empty for a message without payload.
    public let type: RecordType
    /// The span of its declaration.
    public let span: SourceSpan

    /// A message declared at `span`.
    public init(name: String, type: RecordType, span: SourceSpan) {
        (self.name, self.type, self.span) = (name, type, span)
    }
}
