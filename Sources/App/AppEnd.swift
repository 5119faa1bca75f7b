/// How an app ended, and what its run came to.
public struct AppEnd: Sendable {
    /// Why it ended.
    public let outcome: AppOutcome
    /// What it did.
    public let counters: AppCounters
    /// Feedbacks whose effects did not return within `AppRun.deadline` and were left behind.
    public let abandoned: [String]
}
