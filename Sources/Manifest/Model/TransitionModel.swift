public import Diagnostics

/// What one event does to the state: one entry of `[loops.X.on]`.
public struct TransitionModel: Sendable {
    /// It applies when this holds, or always.
    public let condition: Condition?
    /// The fields that change, in declaration order; all right sides are computed from the old state. Empty: handled,
    /// and the new state equals the old one.
    public let assignments: [Assignment]
    /// True for `{ ignore = true }`: nothing happens, on purpose, and the event does not count as unhandled.
    public let isIgnored: Bool
    /// Where it stands.
    public let span: SourceSpan

    /// A transition written at `span`.
    public init(condition: Condition?, assignments: [Assignment], isIgnored: Bool, span: SourceSpan) {
        (self.condition, self.assignments, self.isIgnored, self.span) = (
            condition, assignments, isIgnored, span
        )
    }
}
