public import Diagnostics

/// The change of the state by one event: one entry of `[loops.X.on]` or `[loops.X.after]`.
///
/// States in different cases have different layouts. So an entry whose expressions use or set fields of
/// several cases becomes several transitions, one for each case, which follow each other.
public struct TransitionModel: Sendable {
    /// The cases in which it may apply, as indices into the cases of `LoopModel.stateType`; nil for every
    /// state.
    public let from: Set<Int>?
    /// The case to enter; nil if the case does not change. Fields of equal name and type keep their values,
    /// other fields get their initial values. Then `assignments` are stored.
    public let to: Int?
    /// It applies when this holds; nil if it always applies.
    public let condition: Condition?
    /// The fields to change, in declaration order; all values are computed from the old state. With `to`,
    /// they are fields of the new case. Empty if the event is handled without a change.
    public let assignments: [Assignment]
    /// True for `{ ignore = true }`: nothing happens, on purpose, and the event does not count as unhandled.
    public let isIgnored: Bool
    /// The key of its entry.
    public let span: SourceSpan

    /// A transition written at `span`.
    public init(
        from: Set<Int>? = nil, to: Int? = nil, condition: Condition?, assignments: [Assignment],
        isIgnored: Bool, span: SourceSpan
    ) {
        (self.from, self.to, self.condition) = (from, to, condition)
        (self.assignments, self.isIgnored, self.span) = (assignments, isIgnored, span)
    }
}
