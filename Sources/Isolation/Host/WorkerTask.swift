import HostLoop
public import PluginHost
import Records

/// Work that a process of its own does once, with the host's environment, folder and permissions: a crash or a hang is
/// an outcome, too. The program's `WorkerProgram.run` has the work itself.
public struct WorkerTask: Sendable {
    /// Does the work, in its process.
    ///
    /// - Parameters:
    ///   - input: what `run` was called with.
    ///   - progress: tells the host which part of the work begins. It may be called from the calling thread alone.
    /// - Returns: the result.
    public typealias Work =
        @Sendable (
            _ input: [UInt8], _ progress: @escaping (String) -> Void
        ) throws(PluginError) -> [UInt8]

    private let program: String
    private let limit: Duration
    /// How long the process may take to begin, on a busy machine.
    private static let startLimit = Duration.seconds(30)

    /// A task.
    ///
    /// - Parameters:
    ///   - program: the program that is started, an absolute path.
    ///   - limit: how long the work may take once the process has begun.
    public init(program: String, limit: Duration) { (self.program, self.limit) = (program, limit) }

    /// What became of the work.
    public struct Outcome: Sendable {
        /// The result; nil if the process has ended without one.
        public let result: [UInt8]?
        /// The part of the work that began last.
        public let progress: String?
        /// How the process has ended.
        public let end: WorkerEnd
        /// Whether it has taken too long.
        public let isLate: Bool
        /// What it has written to the standard output and the standard error output, at most a mebibyte.
        public let lines: [String]
    }

    private struct State {
        var hasBegun = false
        var result: Result<[UInt8], PluginError>?
        var progress: String?
        var timer: Cancellation?
    }

    /// Has a process do the work, and waits for its end.
    ///
    /// - Throws: `DiagnosticCode.workerNotStarted` if it could not begin, and what the work throws.
    public func run(_ input: [UInt8]) throws(PluginError) -> Outcome {
        let process = try WorkerProcess(program, doing: input)
        let state = Lock(State())
        let clock = ContinuousLoopClock()
        @Sendable func end(after limit: Duration, _ reason: String) {
            let timer = clock.schedule(at: clock.now.advanced(by: limit)) {
                process.kill(reason, isLate: true)
            }
            state.withLock { state in
                state.timer?.cancel()
                state.timer = timer
            }
        }
        let late = "it does not end within \(limit)"
        end(after: Self.startLimit, "it did not begin within \(Self.startLimit)")
        let isReading = HostThread.start { [limit] in
            process.read { kind, message throws(DamagedBytes) in
                switch WorkerMessage(rawValue: kind) {
                case .reply:
                    let (number, isAnswer) = (try message.number(), try message.byte() != 0)
                    // Safe because the bytes are copied.
                    let result: Result<[UInt8], PluginError> =
                        isAnswer
                        ? .success(unsafe try Array(message.raw(message.rest)))
                        : .failure(try PluginError(&message))
                    switch (number, result) {
                    case (0, .success):
                        state.withLock { $0.hasBegun = true }
                        end(after: limit, late)
                    case (0, .failure(let error)): process.kill(error.message)
                    case (1, _): state.withLock { $0.result = result }
                    default: throw DamagedBytes("an answer to no request")
                    }
                case .progress:
                    let text = try message.text()
                    state.withLock { $0.progress = text }
                default: throw DamagedBytes("a message of the kind \(kind)")
                }
            }
        }
        guard isReading else {
            process.reap()
            throw .notStarted("the system has no thread left")
        }
        let (end, lines) = Self.await(process)
        let last = state.withLock { $0 }
        last.timer?.cancel()
        guard last.hasBegun else {
            throw .notStarted(([end.description] + lines.prefix(1)).joined(separator: ": "))
        }
        return Outcome(
            result: try last.result?.get(), progress: last.progress, end: end, isLate: end == .killed(late),
            lines: lines)
    }

    /// Waits for the end of a process; with it the lines that it has written.
    private static func await(_ process: WorkerProcess) -> (end: WorkerEnd, lines: [String]) {
        var (lines, rest, size): ([String], [UInt8], Int) = ([], [], 0)
        func heard(_ line: String) {
            size += line.utf8.count
            if size < 1 << 20 { lines.append(line) }
        }
        while !process.wait(-1, waking: -1, lines: heard, &rest) {}
        if !rest.isEmpty { heard(String(decoding: rest, as: UTF8.self)) }
        return (process.settle(), lines)
    }
}
