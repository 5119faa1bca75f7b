import CLinux
import CPluginABI
import Glibc
import HostLoop
public import PluginHost
import Records
import Sandbox

/// A worker: a process that loads plugins and makes calls for the host, started again when it ends by itself.
///
/// Calls wait while no process runs. If a process ends, the calls that it has got fail with R130, each once. May be
/// used from any thread.
public final class Worker: Sendable {
    enum Phase {
        /// No process was started yet.
        case new
        /// The process loads what its predecessor had.
        case starting(WorkerProcess)
        case running(WorkerProcess)
        /// The last process has ended, and the next one is not started yet.
        case waiting
        /// Too many processes have ended in a short time.
        case quarantine(String)
        case ended

        /// The process that was started last, if it has not ended.
        var process: WorkerProcess? {
            switch self {
            case .starting(let process), .running(let process): process
            case .new, .waiting, .quarantine, .ended: nil
            }
        }
    }

    /// The place of a call among those that wait.
    struct Ticket: Equatable {
        let number: UInt
        let order: UInt64
    }

    struct State {
        var phase = Phase.new
        var hasKeeper = false
        /// Threads that wait for a process that runs.
        var waiters: [WorkerRequest] = []
        var plugins: [UInt64: WorkerPlugin] = [:]
        var last: UInt64 = 0
        var requests: [UInt64: WorkerRequest] = [:]
        /// Calls that the process has got, and whose functions have not returned.
        var flights = TokenTable<Flight>()
        /// Calls of effects that have returned and still emit.
        var lasting: Set<UInt> = []
        /// Calls that no process has got yet, and were not cancelled.
        var unsent: [UInt: Flight] = [:]
        /// The order of `unsent`. Tickets of cancelled calls stay, but keep neither the call nor its plugin.
        var queued = FIFO<Ticket>()
        var wantsEnd = false

        mutating func enqueue(_ flight: Flight) {
            queued.append(flight.ticket)
            unsent[flight.number] = flight
        }

        /// Takes out all calls that no process has got.
        mutating func takeUnsent() -> [Flight] {
            defer { (queued, unsent) = (FIFO(), [:]) }
            return queued.all.compactMap { flight(with: $0) }
        }

        /// The call with this ticket; nil if it was cancelled.
        func flight(with ticket: Ticket) -> Flight? {
            unsent[ticket.number].flatMap { $0.ticket == ticket ? $0 : nil }
        }
    }

    let setup: WorkerSetup
    let services: HostServices
    let state = Lock(State())
    /// Wakes the keeping thread.
    private let bell: Int32
    /// Refused accesses that were told.
    let refused = Lock<Set<String>>([])
    let lastMetrics = Lock<[PluginMetric]>([])
    /// The question about metrics that a process has not answered.
    let openMetrics = Lock<(process: WorkerProcess, request: WorkerRequest)?>(nil)

    /// A worker, which is started for its first plugin.
    ///
    /// - Parameter services: of the host of its plugins.
    public init(_ setup: WorkerSetup, services: HostServices) {
        var setup = setup
        // A process that may write could put links in the place of the files that its successor may use.
        setup.policy = setup.policy.resolved()
        (self.setup, self.services) = (setup, services)
        bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
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
        if let fault = setup.policy.faults().first { throw .notStarted(fault.description) }
        try establish({ process throws(PluginError) in try plugin.load(in: process) }) { state in
            state.plugins[plugin.number] = plugin
        }
        return image
    }

    /// Whether it starts no process any more.
    public var hasEnded: Bool {
        state.withLock { state in
            if case .ended = state.phase { return true }
            return state.wantsEnd
        }
    }

    /// Whether the process runs now.
    func isRunning(_ process: WorkerProcess) -> Bool {
        state.withLock { state in
            if case .running(let present) = state.phase { present === process } else { false }
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
    /// - Parameters:
    ///   - process: the one to ask; nil: the one that runs.
    ///   - write: writes the message after its number.
    /// - Returns: what follows in the answer.
    /// - Throws: the error in the answer, and `DiagnosticCode.workerEnded`.
    func ask(
        _ kind: HostMessage, in process: WorkerProcess? = nil, _ write: (ByteWriter) -> Void
    ) throws(PluginError) -> [UInt8] {
        guard let request = request(kind, in: process, write) else {
            throw .ended("the worker of `\(setup.name)` does not run now")
        }
        return try request.answer()
    }

    /// Asks the process; nil if it does not run.
    func request(
        _ kind: HostMessage, in wanted: WorkerProcess? = nil, _ write: (ByteWriter) -> Void = { _ in }
    ) -> WorkerRequest? {
        let request = WorkerRequest()
        let (process, number) = state.withLock { state -> (WorkerProcess?, UInt64) in
            let process: WorkerProcess
            switch state.phase {
            case .running(let present) where wanted == nil || wanted === present: process = present
            case .starting(let present) where wanted === present: process = present
            default: return (nil, 0)
            }
            state.last += 1
            state.requests[state.last] = request
            return (process, state.last)
        }
        guard let process else { return nil }
        process.send(kind) { body in
            body.put(number)
            write(body)
        }
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

    /// The process that runs. Starts the first one, or waits for the next one.
    ///
    /// - Throws: `DiagnosticCode.workerNotStarted`, and `workerEnded` if no process will run soon.
    private func running() throws(PluginError) -> WorkerProcess {
        while true {
            let request = WorkerRequest()
            enum Way { case runs(WorkerProcess), begins, waits, never(String) }
            let way = state.withLock { state -> Way in
                switch state.phase {
                case .running(let process): return .runs(process)
                case .quarantine(let reason): return .never(reason)
                case .ended: return .never("its worker has ended")
                case .new, .starting, .waiting: break
                }
                state.waiters.append(request)
                defer { state.hasKeeper = true }
                return state.hasKeeper ? .waits : .begins
            }
            switch way {
            case .runs(let process): return process
            case .never(let reason): throw .ended("the worker of `\(setup.name)` does not run: \(reason)")
            case .begins:
                let keeper = WorkerKeeper(self)
                if !HostThread.start({ keeper.keep() }) { end(.notStarted("the system has no thread left")) }
            case .waits: break
            }
            _ = try request.answer()
        }
    }

    /// Has the process do something that its successors must do again.
    ///
    /// - Parameters:
    ///   - ask: asks the process.
    ///   - keep: remembers it, under the lock. It is called once, as long as that process has not ended.
    func establish(
        _ ask: (WorkerProcess) throws(PluginError) -> Void, _ keep: @Sendable (inout State) -> Void
    ) throws(PluginError) {
        while true {
            let process = try running()
            try ask(process)
            let isKept = state.withLock { state in
                guard state.phase.process === process else { return false }
                keep(&state)
                return true
            }
            if isKept { return }
        }
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
