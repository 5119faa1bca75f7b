import Interfaces
import Isolation
public import PluginHost
public import Records

/// Tries a version of a plugin before a swap or a start: loads it and, if it has instances, creates one for
/// each state, restores the state and destroys the instance. It starts none. A crash of the plugin ends this
/// process.
public struct LibraryTrial {
    private let library: LoadRequest
    /// The manifest's values of its settings; nil if it has none.
    private let config: Value?
    private let states: [SavedState]
    /// Whether an app starts with this version.
    public let isFirst: Bool

    /// A trial of a library.
    ///
    /// - Parameters:
    ///   - library: the copy to load.
    ///   - config: the manifest's values of its settings; nil if it has none.
    ///   - states: the states to restore, each in its own instance. If it is empty, one instance is created
    ///     without a state.
    ///   - isFirst: whether an app starts with this version. Then the trial skips a failure that `create`
    ///     reports, as the start finds the same fault and reports it in full.
    public init(_ library: StagedLibrary, config: Value?, states: [SavedState], isFirst: Bool) {
        self.library = LoadRequest(library, library: library.original, declares: nil)
        (self.config, self.states, self.isFirst) = (config, states, isFirst)
    }

    func write(to writer: ByteWriter) {
        library.write(to: writer)
        writer.put(optional: config?.json)
        writer.put(count: states.count)
        for state in states { writer.put(state.framed) }
        writer.put(byte: isFirst ? 1 : 0)
    }

    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        library = try LoadRequest(&reader)
        var states: [SavedState] = []
        do {
            config = try reader.optionalText().map { try Value(json: $0) }
            for _ in 0..<(try reader.count()) {
                // Safe because the bytes are copied.
                states.append(try SavedState(framed: unsafe Array(reader.blob())))
            }
        } catch { throw DamagedBytes("\(error)") }
        self.states = states
        isFirst = try reader.byte() != 0
    }

    /// Runs the trial.
    ///
    /// - Parameter progress: called with the name of each function of the plugin before the function is
    ///   called.
    func outcome(progress: (String) -> Void) -> RuleOutcome {
        let host: TrialHost
        let image: PluginImage
        do throws(PluginError) {
            host = try TrialHost()
            image = try library.open(host.services)
        } catch {
            // The host will find the same fault and report it in full.
            return .skipped(error.message)
        }
        defer { host.close() }
        do throws(PluginError) {
            guard let described = image.description?.instance else { return .passed }
            var settings: Record?
            if let own = described.config {
                settings = Self.settings(own, of: config)
                // The version may have other settings. The host reports that.
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
        } catch { return isFirst ? .skipped(error.message) : .failed(error.message) }
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
