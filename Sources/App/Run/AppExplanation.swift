/// What the feedbacks of a loop did in one of its states, and why others did nothing.
public struct AppExplanation: Sendable {
    /// The result for one feedback. The raw value is part of the output for people and programs.
    public enum Outcome: String, Sendable {
        /// Its effect was called.
        case ran
        /// Its effect continues.
        case kept
        /// Its `when` is false.
        case rejected
        /// The state is in none of the cases of its `in`.
        case otherCase = "other-case"
        /// The values that it reads have not changed since its last run, or its event did not come.
        case unchanged
        /// Its running effect was cancelled.
        case cancelled
        /// An event of a run that ended was withdrawn before it was reduced.
        case withdrawn
        /// The manifest disables it.
        case disabled
        /// Its effect, called in an earlier state, has ended.
        case finished
        /// Its effect, or one of its expressions, failed.
        case failed
    }

    /// The loop's name.
    public let loop: String
    /// The number of the state.
    public let step: UInt64
    /// Each feedback in declaration order, with its outcomes in order. Outcomes that come later in the same
    /// state follow in another explanation, which has only the feedbacks concerned.
    public let feedbacks: [(name: String, outcomes: [Outcome])]
}
