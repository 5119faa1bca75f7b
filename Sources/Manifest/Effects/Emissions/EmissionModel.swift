public import Diagnostics

/// An event that a feedback sends after its effect has returned, emitted or failed: one entry of `emit`.
public struct EmissionModel: Sendable {
    /// The event's index in `LoopModel.events`.
    public let event: Int
    /// The event is sent when this holds; nil if it is always sent.
    public let condition: Condition?
    /// The fields of the payload. Optional fields without an assignment are absent.
    public let assignments: [Assignment]
    /// The span of its entry.
    public let span: SourceSpan

    /// An emission written at `span`.
    public init(event: Int, condition: Condition?, assignments: [Assignment], span: SourceSpan) {
        (self.event, self.condition, self.assignments, self.span) = (event, condition, assignments, span)
    }
}
