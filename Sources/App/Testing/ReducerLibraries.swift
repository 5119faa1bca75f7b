import HostLoop
import Journal
public import Manifest
public import PluginHost
import Records

/// The plugins whose native reducers a replay or a test calls. It makes no instance and calls no effect.
public final class ReducerLibraries: Sendable {
    private let plugins: PluginSet

    /// Loads the plugins. Their constructors run here.
    ///
    /// - Parameters:
    ///   - loops: the loops of the manifest whose reducers are called.
    ///   - log: takes a line that a plugin logs; called on any thread.
    ///   - trial: tries each library in another process, before this process loads it. It may block.
    /// - Throws: `AppRefusal` with every plugin that cannot be used.
    public init(
        _ manifest: Manifest, of loops: [LoopModel], log: @escaping @Sendable (PluginLogLine) -> Void,
        trial: @escaping @Sendable (SwapTrial) -> SwapTrial.Verdict
    ) throws(AppRefusal) {
        let services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { WallClock.nanoseconds }, log: log,
            output: { _ in false })
        plugins = try PluginSet(
            manifest, providing: loops.compactMap(\.reducer).map { .plugin($0.plugin) }, services: services,
            trial: trial)
    }

    /// A reducer of the loop's plugin; nil for a loop without one.
    func reducer(of loop: LoopModel) -> NativeReducer? {
        loop.reducer.map { NativeReducer(plugins.reducer($0), $0, of: loop) }
    }

    /// The version of a native reducer's plugin that is loaded.
    func plugin(of reference: ReducerReference, in manifest: Manifest) -> Epoch.Plugin? {
        plugins.plugin(.plugin(reference.plugin)).map {
            Epoch.Plugin(manifest.plugins[reference.plugin].name, $0.image)
        }
    }

    /// Removes the private copies of the libraries. The libraries stay mapped.
    public func close() { plugins.close() }
}

extension Optional where Wrapped == NativeReducer {
    /// Makes the next state: with the native reducer, else as the manifest declares it.
    ///
    /// - Returns: false when neither handles the event.
    func reduce(
        _ state: inout Record, _ event: AppEvent, orAsDeclared reducer: DeclarativeReducer
    ) throws(RunFault) -> Bool {
        if let self, try self.reduce(&state, event) { return true }
        return try reducer.reduce(&state, event)
    }
}
