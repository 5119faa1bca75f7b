public import Diagnostics

/// What one event does to the state: one entry of `[loops.X.on]` or `[loops.X.after]`.
///
/// Fields of different cases lie differently in memory, so an entry whose expressions use or set fields of several cases
/// is several transitions, one for each case, that follow one another.
public struct TransitionModel: Sendable {
    /// The cases in which it may apply, as indices into the cases of `LoopModel.stateType`; nil: in every state.
    public let from: Set<Int>?
    /// The case that is entered; nil: the case is not left. Fields of the state that is left whose name and type the case
    /// has too carry over, others take their initial value, and then `assignments` are stored.
    public let to: Int?
    /// It applies when this holds, or always.
    public let condition: Condition?
    /// The fields that change, in declaration order; all right sides are computed from the old state. They are fields of
    /// the case that is entered, if there is one. Empty: handled, and the new state equals the old one.
    public let assignments: [Assignment]
    /// True for `{ ignore = true }`: nothing happens, on purpose, and the event does not count as unhandled.
    public let isIgnored: Bool
    /// Where it stands.
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
