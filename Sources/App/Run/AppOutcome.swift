/// How the run of an app ended.
public enum AppOutcome: Hashable, Sendable {
    /// Every loop that has an `until` reached it.
    case done
    /// Nothing could happen any more: no effect ran, no source was left. The loops whose `until` was not reached.
    case nothingLeft(unreached: [String])
    /// A fault, and the manifest says `on-fault = "stop"`.
    case fault
    /// Somebody asked for it.
    case stopped
    /// An instance of a plugin could not be made or started, before any loop began: `AppEnd.failure` says why.
    case unavailable
    /// The app of a changed manifest goes on where this one was (`App.handOver`).
    case followed
}
