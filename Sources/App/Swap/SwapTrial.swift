public import Diagnostics
public import PluginHost
public import Records

/// What there is to try about a new version of a plugin before it is loaded into the process that runs the app.
public struct SwapTrial: Sendable {
    /// What came of trying it.
    public enum Verdict: Sendable {
        /// Nothing speaks against it, or there is no way to try it.
        case passed
        /// It must not be loaded, for the reason.
        case refused(Diagnostic)
        /// It could not be tried, for a reason that is not its own.
        case failed(Diagnostic)
    }

    /// The plugin's name in the manifest.
    public let plugin: String
    /// The copy that is to be loaded.
    public let library: StagedLibrary
    /// The values of the settings that an instance is made with; nil for a plugin without.
    public let config: Record?
    /// The states that instances of the new version are to take over; empty when there are none, or they are not known yet.
    public let states: [SavedState]

    /// - Parameter plugin: its name in the manifest.
    public init(_ plugin: String, _ library: StagedLibrary, config: Record?, states: [SavedState] = []) {
        (self.plugin, self.library, self.config, self.states) = (plugin, library, config, states)
    }
}

extension Optional where Wrapped == App.Trial {
    /// Tries a version; one passes where there is no way to try it.
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
