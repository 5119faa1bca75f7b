public import Diagnostics

/// The result of a request to swap a plugin.
public struct SwapReport: Sendable {
    /// How the swap ended.
    public enum Outcome: String, Sendable {
        /// New calls go to the new version.
        case swapped
        /// The file has the bytes of the version that runs, or of a refused one that is not to be tried
        /// again. The host did nothing.
        case unchanged
        /// The new version cannot replace the version that runs, which continues.
        case refused
        /// The new version failed its probation, and calls go to the version before again. Reported after
        /// `swapped`.
        case rolledBack = "rolled back"
        /// The swap or roll-back failed for a reason other than the new version. The version that runs
        /// continues.
        case failed
    }

    /// Whether the new instances of a plugin began with a saved state.
    public enum InstanceState: String, Sendable {
        /// They began with the states that the old instances had saved.
        case carried
        /// They began without a state, as the old instances saved none.
        case fresh
    }

    /// How the swap ended.
    public let outcome: Outcome
    /// The plugin's name in the manifest.
    public let plugin: String
    /// The version before, as it calls itself; nil if the library declares none, or there is no such plugin.
    public internal(set) var from: String?
    /// The new version, as it calls itself; nil if it is not known.
    public internal(set) var to: String?
    /// The hash of the new version (`PluginImage.hash`, or `PluginError.hash` of a version that cannot be
    /// staged); nil if it is not known.
    public internal(set) var hash: String?
    /// How long calls waited for an instance to hand over. For a plugin without instances: the longest time
    /// that a loop was paused. Nil when nothing was swapped.
    public internal(set) var pause: Duration?
    /// Whether the new instances began with a saved state; nil if the plugin has none, or nothing was
    /// swapped.
    public internal(set) var state: InstanceState?
    /// Why the swap was refused, failed or rolled back; empty otherwise.
    public let reasons: [Diagnostic]

    private init(_ outcome: Outcome, _ plugin: String, because reasons: [Diagnostic]) {
        (self.outcome, self.plugin, self.reasons) = (outcome, plugin, reasons)
    }

    /// A report that is to be filled in.
    init(_ plugin: String) { self.init(.failed, plugin, because: []) }

    /// A copy of the report with another outcome.
    func with(_ outcome: Outcome, because reasons: [Diagnostic] = []) -> SwapReport {
        var report = SwapReport(outcome, plugin, because: reasons)
        (report.from, report.to, report.hash) = (from, to, hash)
        (report.pause, report.state) = (pause, state)
        return report
    }
}
