public import Diagnostics

/// How an app ended, and the counters of its run.
public struct AppEnd: Sendable {
    /// Why it ended.
    public let outcome: AppOutcome
    /// The counters of the run.
    public internal(set) var counters: AppCounters
    /// Calls that did not return within `AppRun.deadline`: the names of feedbacks, functions of instances
    /// (`stop of sensor`), and work of plugins on threads of the host (`work of sensor`).
    public let abandoned: [String]
    /// Why the app is unavailable, with the plugin's place in the manifest; nil unless `outcome` is
    /// `unavailable`.
    public let failure: Diagnostic?
}
