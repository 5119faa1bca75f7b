/// What the feedbacks of a loop did in one of its states, and why not more.
public struct AppExplanation: Sendable {
    /// What became of a feedback. Text for people and programs.
    public enum Outcome: String, Sendable {
        /// Its effect was called.
        case ran
        /// Its effect goes on as it was.
        case kept
        /// Its `when` does not hold.
        case rejected
        /// The state is in none of the cases of its `in`.
        case otherCase = "other-case"
        /// What it reads is as it was, and its effect has run for it; or no such event came.
        case unchanged
        /// Its running effect was cancelled.
        case cancelled
        /// An event of a run that ended was taken back before it was reduced.
        case withdrawn
        /// The manifest says that it never runs.
        case disabled
        /// Its effect, called in an earlier state, came to its end.
        case finished
        /// Its effect, or an expression of it, failed.
        case failed
    }

    /// The loop's name.
    public let loop: String
    /// The number of the state.
    public let step: UInt64
    /// Each feedback in declaration order with what became of it, in order. Later parts of the same state's time follow
    /// in an explanation of their own, which has only the feedbacks that something happened to.
    public let feedbacks: [(name: String, outcomes: [Outcome])]
}
