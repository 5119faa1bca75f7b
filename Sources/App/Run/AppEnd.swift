public import Diagnostics

/// How an app ended, and what its run came to.
public struct AppEnd: Sendable {
    /// Why it ended.
    public let outcome: AppOutcome
    /// What it did.
    public internal(set) var counters: AppCounters
    /// What did not return within `AppRun.deadline` and was left behind: feedbacks whose effects ran, functions of plugins'
    /// instances (`stop of sensor`), and what plugins ran on threads of the host (`work of sensor`).
    public let abandoned: [String]
    /// Why the app is unavailable, with the plugin's place in the manifest; nil for every other outcome.
    public let failure: Diagnostic?
}
