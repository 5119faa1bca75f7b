import Dispatch
import Glibc
import HostLoop

/// Row L3: the time from an emission to its reduction while two threads emit 5,000 events a second each.
struct LatencyRow {
    private let events = 1_000
    private let nanosecondsBetween = 200_000

    func measure(rounds: Int) async throws -> [Row] {
        let pool = try await Row.sampling(
            rounds: rounds, figure: { try ours(.pool) }, reference: throughThread)
        let caller = try await Row.sampling(
            rounds: rounds, figure: { try ours(.caller) }, reference: throughSender)
        let title = "emit to reduced at 10,000 events/s, median"
        return [
            Row(
                name: "L3 pool", title: "\(title), default executor",
                referenceTitle: "mailbox by hand with a consumer thread", unit: "µs", moreIsBetter: false,
                reach: 2, then: 1, samples: pool),
            Row(
                name: "L3 caller", title: "\(title), executor `.caller`",
                referenceTitle: "mailbox by hand, drained by the sender", unit: "µs", moreIsBetter: false,
                reach: 2, then: 1, samples: caller),
        ]
    }

    private func ours(_ executor: LoopExecutor) throws -> Double {
        let log = DelayLog(capacity: events)
        let counting = log.counting
        let spin = Spin(
            initialState: Counting.State(), reducer: Reducer(counting.reduce),
            feedbacks: [.onState(effect: counting.effect)], executor: executor)
        let loop = spin.start()
        return try median(log) { loop.emit($0) }
    }

    private func throughThread() throws -> Double {
        let log = DelayLog(capacity: events)
        let mailbox = ThreadMailbox(log.counting)
        try mailbox.start()
        defer { mailbox.stop() }
        return try median(log) { mailbox.emit($0) }
    }

    private func throughSender() throws -> Double {
        let log = DelayLog(capacity: events)
        let mailbox = SenderMailbox(log.counting)
        mailbox.start()
        return try median(log) { mailbox.emit($0) }
    }

    /// Emits from two threads, half a period apart. Returns the median delay in microseconds.
    private func median(
        _ log: DelayLog, _ emit: @escaping @Sendable (Counting.Event) -> Void
    ) throws -> Double {
        let begin = Stopwatch.nanoseconds() + 1_000_000
        let producers = try (0..<2).map { producer in
            try BenchThread { [events, nanosecondsBetween] in
                for index in 0..<events / 2 {
                    Stopwatch.sleep(
                        until: begin + index * nanosecondsBetween + producer * nanosecondsBetween / 2)
                    emit(.up(Stopwatch.nanoseconds()))
                }
            }
        }
        log.isFull.wait()
        for producer in producers { producer.join() }
        return Row.median(log.delays.sorted()) / 1e3
    }
}

/// Records the age of each event, in the reducer. The event carries the time of its emission.
// Safe because only the loop's reducer writes, one call at a time, and the delays are read after `isFull`.
private final class DelayLog: @unchecked Sendable {
    let isFull = DispatchSemaphore(value: 0)
    @safe @exclusivity(unchecked) private(set) var delays: [Double] = []
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        delays.reserveCapacity(capacity)
    }

    var counting: Counting {
        Counting(
            reduce: { state, event in
                if case .up(let sent) = event { self.delays.append(Double(Stopwatch.nanoseconds() - sent)) }
                state.count += 1
                return true
            },
            effect: { state in
                if state.count == self.capacity { self.isFull.signal() }
                return nil
            })
    }
}
