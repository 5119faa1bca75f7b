public import Diagnostics

/// What became of the wish to swap a plugin.
public struct SwapReport: Sendable {
    /// What became of it.
    public enum Outcome: String, Sendable {
        /// New calls go to the new version.
        case swapped
        /// The file has the bytes of the version that runs; nothing was done.
        case unchanged
        /// The new version cannot take the place of the one that runs, which goes on.
        case refused
        /// The new version did not stand its probation, and the one before goes on; told after `swapped`.
        case rolledBack = "rolled back"
        /// The swap did not come about for a reason that is not the new version's; the one that runs goes on.
        case failed
    }

    /// What the new instances of a plugin began with.
    public enum InstanceState: String, Sendable {
        /// With what the old ones had saved.
        case carried
        /// With nothing, since these saved nothing.
        case fresh
    }

    /// What became of it.
    public let outcome: Outcome
    /// The plugin's name in the manifest.
    public let plugin: String
    /// The version that ran, as it calls itself; nil for a library that does not say, and for a plugin that does not
    /// exist.
    public internal(set) var from: String?
    /// The version that was to run; nil when it is not known.
    public internal(set) var to: String?
    /// Tells the new library's content from others, as `PluginImage.hash`; nil when it is not known.
    public internal(set) var hash: String?
    /// How long calls waited for an instance to take over; for a plugin without instances, how long the loop that waited
    /// longest for the change of its calls did. Nil when nothing was swapped.
    public internal(set) var pause: Duration?
    /// What the new instances began with; nil for a plugin without, and when nothing was swapped.
    public internal(set) var state: InstanceState?
    /// Why it was refused or failed; empty otherwise.
    public let reasons: [Diagnostic]

    private init(_ outcome: Outcome, _ plugin: String, because reasons: [Diagnostic]) {
        (self.outcome, self.plugin, self.reasons) = (outcome, plugin, reasons)
    }

    /// A report to be filled in.
    init(_ plugin: String) { self.init(.failed, plugin, because: []) }

    /// The same with another outcome.
    func with(_ outcome: Outcome, because reasons: [Diagnostic] = []) -> SwapReport {
        var report = SwapReport(outcome, plugin, because: reasons)
        (report.from, report.to, report.hash) = (from, to, hash)
        (report.pause, report.state) = (pause, state)
        return report
    }
}
