/// Where the host calls a feedback's effect.
public enum FeedbackExecutor: String, Sendable, CaseIterable {
    /// On the loop's executor, between two steps. For effects that do not block.
    case loop
    /// On threads outside those of the loops, one for each concurrent call.
    case pool
    /// On threads outside those of the loops, one call of the feedback at a time.
    case queue
}
