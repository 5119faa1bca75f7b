import Interfaces
public import PluginHost
public import Records

/// Does with a new version of a plugin what a swap does, in this process, which may not survive it: loads it, and if it has
/// instances makes one for each state, which it takes over, and frees it. None is ever started.
public struct LibraryTrial {
    private let library: StagedLibrary
    private let config: Value?
    private let states: [SavedState]

    /// - Parameters:
    ///   - library: the copy to load.
    ///   - config: the values of its settings, as the manifest has them; nil: it has none.
    ///   - states: those that instances take over; empty: one is made that takes over none.
    public init(_ library: StagedLibrary, config: Value?, states: [SavedState]) {
        (self.library, self.config, self.states) = (library, config, states)
    }

    /// What comes of it.
    ///
    /// - Parameter progress: is told of each function of the plugin before it is called.
    public func outcome(progress: (String) -> Void) -> RuleOutcome {
        let host: TrialHost
        let image: PluginImage
        do throws(PluginError) {
            host = try TrialHost()
            image = try PluginImage.open(library, services: host.services)
        } catch {
            // Who swaps finds the same, and has more to say about it.
            return .skipped(error.message)
        }
        defer { host.close() }
        do throws(PluginError) {
            guard let described = image.description?.instance else { return .passed }
            var settings: Record?
            if let own = described.config {
                settings = Self.settings(own, of: config)
                // The version that runs may have other settings: then the swap says so.
                if settings == nil { return .skipped("its settings are not those that the manifest has") }
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

    /// The values that the manifest has for settings of the same name, and the defaults of others; nil when one has neither.
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
