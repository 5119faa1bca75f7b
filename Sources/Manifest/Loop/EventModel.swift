public import Diagnostics
public import Records

/// An event of a loop: one that it declares, or the time of a delayed transition (`delay`).
public struct EventModel: Sendable {
    /// Its name, unique among the declared events of the loop; `after:CASE` for a delayed transition.
    public let name: String
    /// The fields of its payload; empty for an event without.
    public let type: RecordType
    /// What it waits for; nil for an event that the loop declares.
    public let delay: DelayModel?
    /// Where it is declared.
    public let span: SourceSpan

    /// An event declared at `span`.
    public init(name: String, type: RecordType, delay: DelayModel? = nil, span: SourceSpan) {
        (self.name, self.type, self.delay, self.span) = (name, type, delay, span)
    }
}
