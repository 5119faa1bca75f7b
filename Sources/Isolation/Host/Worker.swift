import CLinux
import CPluginABI
import Glibc
import HostLoop
public import PluginHost
import Records
import Synchronization

/// A worker: a process that loads plugins and makes calls for the host, started again when it ends by itself.
///
/// What the host asks while no process runs waits for the next one. What a process was asked when it ended fails with
/// R130, each call once. May be used from any thread.
public final class Worker: Sendable {
    enum Phase {
        /// No process was started yet.
        case new
        /// A process is being started, or its predecessor's plugins are loaded into it.
        case starting
        case running
        /// The last process has ended, and the next one is not started yet.
        case waiting
        /// Too many processes have ended in a short time.
        case quarantine(String)
        case ended
    }

    struct State {
        var phase = Phase.new
        var process: WorkerProcess?
        var plugins: [UInt64: WorkerPlugin] = [:]
        var last: UInt64 = 0
        var requests: [UInt64: WorkerRequest] = [:]
        /// Calls whose functions have not returned.
        var flights: [UInt: Flight] = [:]
        /// Calls that no process has got yet, in order.
        var queued: [Flight] = []
        var wantsEnd = false
    }

    let setup: WorkerSetup
    let services: HostServices
    let state = Lock(State())
    /// Wakes the keeping thread.
    private let bell: Int32
    let rounds: UInt32
    /// Refused accesses that were told.
    let refused = Lock<Set<String>>([])
    let lastMetrics = Lock<[PluginMetric]>([])
    /// Calls of the process that wait for room in a mailbox.
    let roomWaits = Atomic<Int>(0)

    /// A worker, which is started for its first plugin.
    ///
    /// - Parameter services: of the host of its plugins.
    public init(_ setup: WorkerSetup, services: HostServices) {
        (self.setup, self.services) = (setup, services)
        bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        rounds = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 ? 600 : 0
        addMetrics()
    }

    deinit { Glibc.close(bell) }

    /// Loads a library into the worker.
    ///
    /// - Parameters:
    ///   - staged: the copy to load; nil for a library of the system.
    ///   - library: the file, or the name of a library of the system.
    ///   - declares: the declarations of the manifest; nil if it has none.
    ///   - old: another version. If its notes are the same, its description is used again.
    /// - Throws: as `PluginImage.open`, and `DiagnosticCode.workerNotStarted` and `workerEnded`.
    public func load(
        _ staged: StagedLibrary?, library: String, declares: String?, replacing old: PluginImage? = nil
    ) throws(PluginError) -> PluginImage {
        let plugin = WorkerPlugin(
            nextNumber(), of: self, LoadRequest(staged, library: library, declares: declares), staged)
        let image = try PluginImage.remote(
            staged, library: library, in: plugin, replacing: old, services: services)
        plugin.introduce(image)
        try start()
        try plugin.load()
        state.withLock { $0.plugins[plugin.number] = plugin }
        return image
    }

    /// Whether it starts no process any more.
    public var hasEnded: Bool {
        state.withLock { state in
            if case .ended = state.phase { return true }
            return state.wantsEnd
        }
    }

    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }

    // MARK: - Messages

    /// Asks the process, and waits for its answer.
    ///
    /// - Parameter write: writes the message after its number.
    /// - Returns: what follows in the answer.
    /// - Throws: the error in the answer, and `DiagnosticCode.workerEnded`.
    func ask(
        _ kind: HostMessage, whileStarting: Bool = false, _ write: (ByteWriter) -> Void
    ) throws(PluginError) -> [UInt8] {
        guard let request = begin(kind, whileStarting: whileStarting, write) else {
            throw .ended("the worker of `\(setup.name)` does not run now")
        }
        return try request.answer()
    }

    /// Asks the process; nil if no process runs.
    func begin(
        _ kind: HostMessage, whileStarting: Bool = false, _ write: (ByteWriter) -> Void = { _ in }
    ) -> WorkerRequest? {
        let request = WorkerRequest()
        let (process, number) = state.withLock { state -> (WorkerProcess?, UInt64) in
            switch state.phase {
            case .running: break
            case .starting where whileStarting: break
            default: return (nil, 0)
            }
            state.last += 1
            if state.process != nil { state.requests[state.last] = request }
            return (state.process, state.last)
        }
        guard let process else { return nil }
        let outcome = process.send(kind) { body in
            body.put(number)
            write(body)
        }
        if case .sent = outcome {} else { process.kill("it did not read what the host has sent") }
        return request
    }

    /// The answer to a request has come.
    func answered(_ number: UInt64, _ answer: Result<[UInt8], PluginError>) throws(DamagedBytes) {
        guard let request = state.withLock({ $0.requests.removeValue(forKey: number) }) else {
            throw DamagedBytes("an answer to no request")
        }
        request.give(answer)
    }

    // MARK: - The life of the process

    /// Starts the first process, or waits until the present one runs.
    private func start() throws(PluginError) {
        let isFirst = state.withLock { state in
            guard case .new = state.phase else { return false }
            state.phase = .starting
            return true
        }
        guard isFirst else { return }
        let started = WorkerRequest()
        let keeper = WorkerKeeper(self, first: started)
        guard HostThread.start({ keeper.keep() }) else { throw .notStarted("the system has no thread left") }
        _ = try started.answer()
    }

    /// Waits for the bell as well as for `process`.
    var bellDescriptor: Int32 { bell }

    /// Has the keeping thread look at once.
    func wakeKeeper() {
        var one: UInt64 = 1
        // Safe because the call reads 8 bytes.
        _ = unsafe write(bell, &one, 8)
    }

    /// Silences the bell.
    func silence() {
        var rings: UInt64 = 0
        // Safe because the call writes 8 bytes.
        _ = unsafe read(bell, &rings, 8)
    }

    /// Nothing refers to a plugin any more. The worker ends with its last one.
    func leave(_ plugin: UInt64) {
        let isLast = state.withLock { state in
            state.plugins[plugin] = nil
            guard state.plugins.isEmpty else { return false }
            state.wantsEnd = true
            return true
        }
        if isLast { wakeKeeper() }
    }
}
