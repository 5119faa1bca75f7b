import HostLoop
import Records
import Synchronization

/// Where the lines of the log can be watched. While nobody watches, a line costs one look at a flag. May be used from
/// any thread.
final class LogTap: Sendable {
    /// A line of the log.
    struct Line: Sendable {
        /// Nanoseconds since 1970-01-01T00:00:00Z.
        let time: Int64
        let level: String
        /// The plugin that logged it; nil for the host.
        let plugin: String?
        let text: String

        /// The line for programs.
        var json: Value {
            var fields: [(String, Value)] = [
                ("time", .string(JournalTime.universal(time))), ("level", .string(level)),
            ]
            if let plugin { fields.append(("plugin", .string(plugin))) }
            return .record([("log", .record(fields + [("text", .string(text))]))])
        }
    }

    /// The greatest number of lines that are kept for a client.
    private static let most = 1000

    private struct State {
        var openings = 0
        var total: UInt64 = 0
        var kept: [Line] = []
        var came: @Sendable () -> Void = {}
    }

    private let isOpen = Atomic<Bool>(false)
    private let isReported = Atomic<Bool>(false)
    private let state = Lock(State())

    /// Has `body` called when `lines` has lines again. It must not block.
    func onLines(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.came = body } }

    /// Keeps lines from now on. Calls are counted.
    ///
    /// - Returns: the number of lines so far, for `lines`.
    func open() -> UInt64 {
        state.withLock { state in
            state.openings += 1
            isOpen.store(true, ordering: .relaxed)
            return state.total
        }
    }

    /// Ends one `open`.
    func close() {
        state.withLock { state in
            state.openings -= 1
            guard state.openings == 0 else { return }
            isOpen.store(false, ordering: .relaxed)
            state.kept = []
        }
    }

    /// A line is logged.
    func logged(_ line: @autoclosure () -> Line) {
        guard isOpen.load(ordering: .relaxed) else { return }
        let line = line()
        let came = state.withLock { state in
            state.total += 1
            if state.kept.count == Self.most { state.kept.removeFirst(Self.most / 4) }
            state.kept.append(line)
            return state.came
        }
        if !isReported.exchange(true, ordering: .acquiringAndReleasing) { came() }
    }

    /// Whether there are lines since `lines` was called last.
    var hasLines: Bool { isReported.load(ordering: .relaxed) }

    /// The lines after the first `seen` ones, and how many of them are lost; moves `seen` behind them.
    func lines(after seen: inout UInt64) -> (lost: Int, kept: [Line]) {
        isReported.store(false, ordering: .sequentiallyConsistent)
        return state.withLock { state in
            let new = Int(clamping: state.total - min(seen, state.total))
            seen = state.total
            return (max(0, new - state.kept.count), Array(state.kept.suffix(new)))
        }
    }
}
