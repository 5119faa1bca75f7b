import HostLoop
import Interfaces
import PluginHost
import Records

/// A plugin that a worker has loaded, as the host sees it: what to do again in the worker's next process. May be used
/// from any thread.
final class WorkerPlugin: RemotePlugin {
    private struct State {
        /// Nil until the image is made.
        var identity: Identity?
        var functions: [WorkerFunction] = []
        var instances: [WorkerInstance] = []
        /// The pointers that the present process has opened.
        var pointers: Set<UInt> = []
    }

    /// What the plugin knows of its image, which keeps it. A weak reference would make each use of the image slower.
    struct Identity {
        let id: String
        let version: String
        /// Fails when the worker ends.
        let judging: ProbationPlace
    }

    let number: UInt64
    let worker: Worker
    let library: LoadRequest
    /// Keeps the copy.
    private let staged: StagedLibrary?
    private let state = Lock(State())
    private let table = Lock(EmissionTable(nil))

    init(_ number: UInt64, of worker: Worker, _ library: LoadRequest, _ staged: StagedLibrary?) {
        (self.number, self.worker, self.library, self.staged) = (number, worker, library, staged)
    }

    /// The plugin's image, which keeps this object.
    func introduce(_ image: PluginImage) {
        let identity = Identity(
            id: image.id, version: image.description?.version ?? "", judging: image.judging)
        state.withLock { $0.identity = identity }
        table.exchange(EmissionTable(image.description))
    }

    var identity: Identity? { state.withLock { $0.identity } }
    var emissions: EmissionTable { table.withLock { $0 } }

    /// Has the process load the library.
    func load(in process: WorkerProcess) throws(PluginError) {
        _ = try worker.ask(.load, in: process) { body in
            body.put(number)
            library.write(to: body)
        }
    }

    /// Does again in a new process what was done in the last one.
    func renew(in process: WorkerProcess) throws(PluginError) {
        try load(in: process)
        let (functions, instances) = state.withLock { ($0.functions, $0.instances) }
        for function in functions { try function.prepare(in: process) }
        for instance in instances { try instance.renew(in: process) }
    }

    func prepare(
        _ signature: CallSignature, of name: String, isEffect: Bool, freeing release: String?
    ) throws(PluginError) -> any RemoteFunction {
        let request = FunctionRequest(
            name: name, isEffect: isEffect, release: release, arguments: signature.arguments)
        // Another manifest may call it in the same way.
        if let known = state.withLock({ $0.functions.first { $0.request == request } }) { return known }
        let function = WorkerFunction(worker.nextNumber(), request, signature, of: self)
        try worker.establish({ process throws(PluginError) in try function.prepare(in: process) }) {
            [self] _ in state.withLock { $0.functions.append(function) }
        }
        return function
    }

    func makeInstance() -> any RemoteInstance { WorkerInstance(worker.nextNumber(), of: self) }

    /// An instance was made.
    func remember(_ instance: WorkerInstance) {
        state.withLock { state in
            if !state.instances.contains(where: { $0 === instance }) { state.instances.append(instance) }
        }
    }

    /// An instance is gone.
    func forget(_ instance: WorkerInstance) {
        state.withLock { $0.instances.removeAll { $0 === instance } }
    }

    func opened(_ address: UInt) { _ = state.withLock { $0.pointers.insert(address).inserted } }

    func closed(_ address: UInt) { _ = state.withLock { $0.pointers.remove(address) } }

    func close(_ address: UInt, by function: String) {
        guard state.withLock({ $0.pointers.remove(address) != nil }) else { return }
        worker.close(address, by: function, of: number)
    }

    /// The process has ended, and its pointers with it.
    func forgetPointers() { state.withLock { $0.pointers = [] } }

    func cancel(_ call: CallToken) { worker.cancel(call) }

    var restReason: String? {
        worker.state.withLock { state in
            if case .quarantine(let reason) = state.phase { reason } else { nil }
        }
    }

    func end() {
        // Functions and instances keep the plugin, and so its copy.
        state.withLock { ($0.functions, $0.instances) = ([], []) }
        worker.leave(number)
    }
}
