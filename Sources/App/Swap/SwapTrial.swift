public import Diagnostics
public import PluginHost
public import Records

/// A version of a plugin to be tried in another process, before it is loaded into the process of the app: a
/// new one, or the one that an app starts with.
public struct SwapTrial: Sendable {
    /// The result of a trial.
    public enum Verdict: Sendable {
        /// The trial found no fault, or there is no way to try the version.
        case passed
        /// The version must not be loaded, for this reason.
        case refused(Diagnostic)
        /// The trial failed for a reason other than the version.
        case failed(Diagnostic)
    }

    /// The plugin's name in the manifest.
    public let plugin: String
    /// The copy that is to be loaded.
    public let library: StagedLibrary
    /// The settings that an instance is made with; nil for a plugin without settings.
    public let config: Record?
    /// The states that instances of the new version are to take over; empty if there are none, or they are
    /// not saved yet.
    public let states: [SavedState]
    /// Whether an app starts with this version.
    public let isFirst: Bool
    /// The place of the library in the manifest that is being loaded; nil for a swap.
    public let place: SourceSpan?

    /// - Parameter plugin: its name in the manifest.
    public init(
        _ plugin: String, _ library: StagedLibrary, config: Record?, states: [SavedState] = [],
        isFirst: Bool = false, place: SourceSpan? = nil
    ) {
        (self.plugin, self.library, self.config, self.states) = (plugin, library, config, states)
        (self.isFirst, self.place) = (isFirst, place)
    }
}

extension Optional where Wrapped == App.Trial {
    /// Tries a version. Without a trial, it passes.
    ///
    /// - Throws: the reason why it does not pass.
    func perform(_ trial: SwapTrial) throws(AppRefusal) {
        switch self?(trial) {
        case .passed?, nil: return
        case .refused(let reason)?: throw AppRefusal(reason)
        case .failed(let reason)?: throw AppRefusal(reason, isTemporary: true)
        }
    }
}
