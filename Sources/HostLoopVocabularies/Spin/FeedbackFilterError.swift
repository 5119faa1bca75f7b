/// Why a function that picks a part of a state picks none; see the `filteredByResult` forms of `Feedback`.
public enum FeedbackFilterError: Error, Sendable, Hashable {
    /// The effect is not executed for this state.
    case effectIsNotExecuted
}
