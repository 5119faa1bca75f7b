import HostLoop
import PluginHost
import Records

/// An instance of a plugin in a worker. May be used from any thread; its functions are called one at a time.
final class WorkerInstance: RemoteInstance {
    /// What is done again in the worker's next process.
    private struct State {
        var isMade = false
        var isStarted = false
        /// Whether it was started once.
        var hasStarted = false
        var config: Record?
        var saved: SavedState?
    }

    let number: UInt64
    private unowned let plugin: WorkerPlugin
    private let state = Lock(State())
    /// Held while it is made again, stopped or destroyed, so that the new process is asked for these in turn.
    private let turn = Lock(())

    init(_ number: UInt64, of plugin: WorkerPlugin) { (self.number, self.plugin) = (number, plugin) }

    private func take(
        _ step: InstanceStep, in process: WorkerProcess? = nil, _ write: (ByteWriter) -> Void = { _ in }
    ) throws(PluginError) -> [UInt8] {
        try plugin.worker.ask(.instance, in: process) { body in
            body.put(plugin.number)
            body.put(number)
            body.put(byte: step.rawValue)
            write(body)
        }
    }

    private static func write(_ config: Record?, to body: ByteWriter) {
        if let config { RecordCoder(config.type, keepsPointers: true).write(config, to: body) }
    }

    func create(_ config: Record?) throws(PluginError) {
        try establish(.create, { Self.write(config, to: $0) }) { [self] state in
            (state.isMade, state.config, state.saved) = (true, config, nil)
            plugin.remember(self)
        }
    }

    /// Has the process take a step that its successors must take again, and remembers it unless the process has ended.
    private func establish(
        _ step: InstanceStep, _ write: (ByteWriter) -> Void,
        _ keep: @escaping @Sendable (inout State) -> Void
    ) throws(PluginError) {
        let ask = { [self] (process: WorkerProcess) throws(PluginError) in
            _ = try take(step, in: process, write)
        }
        try plugin.worker.establish(ask) { [self] _ in state.withLock { keep(&$0) } }
    }

    /// Starts it. If it ran before, as after a swap that has failed, the end of a process is no failure: the next one
    /// starts it.
    func start() throws(PluginError) {
        while true {
            var asked: WorkerProcess?
            let ask = { [self] (process: WorkerProcess) throws(PluginError) in
                asked = process
                _ = try take(.start, in: process)
            }
            do throws(PluginError) {
                return try plugin.worker.establish(ask) { [self] _ in
                    state.withLock { ($0.isStarted, $0.hasStarted) = (true, true) }
                }
            } catch {
                guard error.code == .workerEnded, state.withLock({ $0.hasStarted }) else { throw error }
                let rests = try plugin.worker.state.withLock { worker throws(PluginError) in
                    // A process that lives has answered that.
                    if let asked, worker.phase.process === asked { throw error }
                    switch worker.phase {
                    case .ended: throw error
                    case .quarantine:
                        state.withLock { $0.isStarted = true }
                        return true
                    case .new, .starting, .running, .waiting: return false
                    }
                }
                if rests { return }
            }
        }
    }

    func reconfigure(_ config: Record) throws(PluginError) {
        try establish(.reconfigure, { Self.write(config, to: $0) }) { $0.config = config }
    }

    func stop() throws(PluginError) {
        try turn.withLock { _ throws(PluginError) in
            state.withLock { $0.isStarted = false }
            try endWhileItLives(.stop)
        }
    }

    func destroy() throws(PluginError) {
        try turn.withLock { _ throws(PluginError) in
            state.withLock { $0.isMade = false }
            plugin.forget(self)
            try endWhileItLives(.destroy)
        }
    }

    /// Without a process there is nothing to stop or to free. One that starts may have made the instance already.
    private func endWhileItLives(_ step: InstanceStep) throws(PluginError) {
        guard let process = plugin.worker.state.withLock({ $0.phase.process }) else { return }
        do throws(PluginError) { _ = try take(step, in: process) } catch {
            if error.code != .workerEnded { throw error }
        }
    }

    func save() throws(PluginError) -> SavedState {
        let bytes = try take(.save)
        do throws(DamagedBytes) {
            let saved = try Self.state(bytes)
            guard saved.plugin == plugin.identity?.id else {
                throw DamagedBytes("it is that of `\(saved.plugin)`")
            }
            state.withLock { $0.saved = saved }
            return saved
        } catch { throw .ended("the saved state is damaged: \(error)") }
    }

    private static func state(_ bytes: [UInt8]) throws(DamagedBytes) -> SavedState {
        let framed = try ByteReader.read(bytes) { reader throws(DamagedBytes) in
            // Safe because the part is copied.
            unsafe try Array(reader.blob())
        }
        do throws(SavedState.Damage) { return try SavedState(framed: framed) } catch {
            throw DamagedBytes(error.description)
        }
    }

    func restore(_ saved: SavedState) throws(PluginError) {
        try establish(.restore, { $0.put(saved.framed) }) { $0.saved = saved }
    }

    /// Makes it again in a new process, with the state that was saved last, and starts it if it was started.
    func renew(in process: WorkerProcess) throws(PluginError) {
        try turn.withLock { _ throws(PluginError) in
            let was = state.withLock { $0 }
            guard was.isMade else { return }
            _ = try take(.create, in: process) { Self.write(was.config, to: $0) }
            if let saved = was.saved { _ = try take(.restore, in: process) { $0.put(saved.framed) } }
            if was.isStarted { _ = try take(.start, in: process) }
        }
    }
}
