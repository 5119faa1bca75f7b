public import Diagnostics
public import Records

/// An event of a loop: a declared event, or the timer of a delayed transition (`delay`).
public struct EventModel: Sendable {
    /// Its name, unique among the declared events of the loop; `after:CASE` for a delayed transition.
    public let name: String
    /// The fields of its payload; empty for an event without payload.
    public let type: RecordType
    /// The delay of a delayed transition; nil for a declared event.
    public let delay: DelayModel?
    /// The span of its declaration.
    public let span: SourceSpan

    /// An event declared at `span`.
    public init(name: String, type: RecordType, delay: DelayModel? = nil, span: SourceSpan) {
        (self.name, self.type, self.delay, self.span) = (name, type, delay, span)
    }
}
