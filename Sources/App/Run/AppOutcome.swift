/// How the run of an app ended.
public enum AppOutcome: Hashable, Sendable {
    /// Every loop that has an `until` reached it.
    case done
    /// Nothing could happen any more: no effect ran, and no source was left. Has the loops that did not reach
    /// their `until`.
    case nothingLeft(unreached: [String])
    /// A fault happened, and the manifest says `on-fault = "stop"`.
    case fault
    /// `AppRun.stop` was called.
    case stopped
    /// No loop began, as a plugin's instance could not be made or started. `AppEnd.failure` says why.
    case unavailable
    /// The app of a changed manifest has taken the place of this one (`App.succeed`).
    case followed
}
