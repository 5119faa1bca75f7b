import Interfaces
public import PluginHost
public import Records

/// Tries a new version of a plugin as a swap does: loads it and, if it has instances, creates one for each
/// state, restores the state and destroys the instance. It starts none. A crash of the plugin ends this
/// process.
public struct LibraryTrial {
    private let library: StagedLibrary
    private let config: Value?
    private let states: [SavedState]

    /// A trial of a library.
    ///
    /// - Parameters:
    ///   - library: the copy to load.
    ///   - config: the manifest's values of its settings; nil if it has none.
    ///   - states: the states to restore, each in its own instance. If it is empty, one instance is created
    ///     without a state.
    public init(_ library: StagedLibrary, config: Value?, states: [SavedState]) {
        (self.library, self.config, self.states) = (library, config, states)
    }

    /// Runs the trial.
    ///
    /// - Parameter progress: called with the name of each function of the plugin before the function is
    ///   called.
    public func outcome(progress: (String) -> Void) -> RuleOutcome {
        let host: TrialHost
        let image: PluginImage
        do throws(PluginError) {
            host = try TrialHost()
            image = try PluginImage.open(library, services: host.services)
        } catch {
            // The swap will find the same fault and report it in full.
            return .skipped(error.message)
        }
        defer { host.close() }
        do throws(PluginError) {
            guard let described = image.description?.instance else { return .passed }
            var settings: Record?
            if let own = described.config {
                settings = Self.settings(own, of: config)
                // The new version may have other settings. The swap reports that.
                if settings == nil { return .skipped("the manifest has no value for one of its settings") }
            }
            let interface = try InstanceInterface(of: image)
            for state in states.isEmpty ? [nil] : states.map(Optional.some) {
                let instance = PluginInstance(interface, config: settings)
                progress("create")
                try instance.create()
                if let state {
                    progress("restore")
                    try instance.restore(state)
                }
                progress("destroy")
                instance.destroy()
            }
            return .passed
        } catch { return .failed(error.message) }
    }

    /// The manifest's values for settings of the same name, and the defaults of the others; nil if a setting
    /// has neither.
    private static func settings(_ description: ConfigDescription, of config: Value?) -> Record? {
        var record = Record(description.type)
        for setting in description.settings {
            do {
                guard
                    let value = try config?[setting.name]?.readingJSON(as: setting.type)
                        ?? setting.defaultValue
                else { return nil }
                try record.set(setting.name, to: value)
            } catch { return nil }
        }
        return record
    }
}
