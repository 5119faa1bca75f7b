public import Diagnostics

/// An event that a feedback sends after its effect has answered: one entry of `emit`.
public struct EmissionModel: Sendable {
    /// The event's index in `LoopModel.events`.
    public let event: Int
    /// It is sent when this holds, or always.
    public let condition: Condition?
    /// The fields of the payload; optional ones that are not among them are absent.
    public let assignments: [Assignment]
    /// Where it stands.
    public let span: SourceSpan

    /// An emission written at `span`.
    public init(event: Int, condition: Condition?, assignments: [Assignment], span: SourceSpan) {
        (self.event, self.condition, self.assignments, self.span) = (event, condition, assignments, span)
    }
}
