/// Where the calls of a feedback's effect are made.
public enum FeedbackExecutor: String, Sendable, CaseIterable {
    /// On the loop's executor, between two steps: for effects that do not block.
    case loop
    /// On threads outside those of the loops, as many as there are calls at a time.
    case pool
    /// On such threads too, one call at a time: a serial queue of the feedback's own.
    case queue
}
