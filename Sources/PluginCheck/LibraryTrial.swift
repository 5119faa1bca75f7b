import Interfaces
public import PluginHost
public import Records

/// Does with a new version of a plugin what a swap does, in this process, which may not survive it: loads it, and if it has
/// instances makes one, hands it a state, and frees it. It is never started.
public struct LibraryTrial {
    private let library: StagedLibrary
    private let config: Value?
    private let state: SavedState?

    /// - Parameters:
    ///   - library: the copy to load.
    ///   - config: the values of its settings, as the manifest has them; nil: it has none.
    ///   - state: the state that an instance takes over; nil: none.
    public init(_ library: StagedLibrary, config: Value?, state: SavedState?) {
        (self.library, self.config, self.state) = (library, config, state)
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
                // The version that runs may have other settings: then the swap says so.
                guard let config, let record = try? Record(own.type, jsonValue: config) else {
                    return .skipped("its settings are not those that the manifest has")
                }
                settings = record
            }
            let instance = PluginInstance(try InstanceInterface(of: image), config: settings)
            progress("create")
            try instance.create()
            if let state {
                progress("restore")
                try instance.restore(state)
            }
            progress("destroy")
            instance.destroy()
            return .passed
        } catch { return .failed(error.message) }
    }
}
