public import Diagnostics
public import Manifest
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
    /// The values of the settings that an instance is made with, as the version that runs has them; nil for a plugin without.
    public let config: Record?
    /// The state that the new version is to take over; nil when there is none.
    public let state: SavedState?

    /// A version in the place of the one that the manifest names.
    public init(_ plugin: PluginModel, _ library: StagedLibrary, state: SavedState? = nil) {
        (self.plugin, self.library, config, self.state) = (plugin.name, library, plugin.config, state)
    }
}
