import Dispatch
import HostLoop

/// Row L2: two threads emit a million events into one loop at full speed. To measure the memory, the loop
/// waits until all of them are queued. Otherwise the scheduler decides how many wait.
///
/// A process of its own measures each side's memory: this program, started with `--peak`.
struct ProducersRow {
    /// The path of this program.
    let program: String
    private let events = 1_000_000

    enum Side: String {
        case ours, byHand
    }

    /// One run, in which the loop handles its initial state first.
    private struct Trial {
        let done = DispatchSemaphore(value: 0)
        /// Lets the initial state's effect return.
        let gate = DispatchSemaphore(value: 0)
        let counting: Counting

        init(events: Int) {
            counting = Counting(
                reduce: Counting.add,
                effect: { [done, gate] state in
                    if state.count == 0 { gate.wait() }
                    if state.count == events { done.signal() }
                    return nil
                })
        }
    }

    /// Starts a loop. Returns a function that emits into it, and one that ends it.
    private typealias Start = (Counting) throws -> (
        emit: @Sendable (Counting.Event) -> Void, end: () -> Void
    )

    func measure(rounds: Int) async throws -> [Row] {
        let rates = try await Row.sampling(
            rounds: rounds, figure: { try rate(ours) }, reference: { try rate(byHand) })
        let peaks = try await Row.sampling(
            rounds: rounds, figure: { try peak(of: .ours) }, reference: { try peak(of: .byHand) })
        let reference = "mailbox by hand: a lock, two arrays, a consumer thread"
        return [
            Row(
                name: "L2", title: "two producer threads, 1 M events into one loop",
                referenceTitle: reference,
                unit: "M events/s", moreIsBetter: true, reach: 0.7, then: 1, samples: rates),
            Row(
                name: "L2 peak", title: "peak growth of memory when all of them wait",
                referenceTitle: reference,
                unit: "MB", moreIsBetter: false, reach: 2, then: 1, samples: peaks),
        ]
    }

    private func ours(_ counting: Counting) -> (emit: @Sendable (Counting.Event) -> Void, end: () -> Void) {
        let spin = Spin(
            initialState: Counting.State(), reducer: Reducer(counting.reduce),
            feedbacks: [.onState(effect: counting.effect)])
        let loop = spin.start()
        return ({ loop.emit($0) }, loop.stop)
    }

    private func byHand(
        _ counting: Counting
    ) throws -> (emit: @Sendable (Counting.Event) -> Void, end: () -> Void) {
        let mailbox = ThreadMailbox(counting)
        try mailbox.start()
        return ({ mailbox.emit($0) }, mailbox.stop)
    }

    /// Million events a second, from the moment when the producers may begin until the last event was
    /// reduced.
    private func rate(_ start: Start) throws -> Double {
        let trial = Trial(events: events)
        let (emit, end) = try start(trial.counting)
        defer { end() }
        trial.gate.signal()
        let begin = DispatchSemaphore(value: 0)
        let producers = try producers(after: begin, emit)
        let began = ContinuousClock.now
        for _ in producers { begin.signal() }
        trial.done.wait()
        let seconds = Stopwatch.seconds(since: began)
        for producer in producers { producer.join() }
        return Double(events) / seconds / 1e6
    }

    private func peak(of side: Side) throws -> Double {
        let text = try Program.run([program, "--peak", side.rawValue], readsOutput: true)
        guard let bytes = Double(text.split(separator: "\n").first ?? "") else {
            throw BenchFault("`--peak` answered `\(text)`")
        }
        return bytes / 1e6
    }

    /// The bytes by which the process grows until the last event was reduced. No event is reduced before the
    /// last one was emitted.
    func peakHere(of side: Side) throws -> Double {
        let start: Start =
            switch side {
            case .ours: ours
            case .byHand: byHand
            }
        let trial = Trial(events: events)
        let (emit, end) = try start(trial.counting)
        defer { end() }
        let memory = try PeakMemory()
        for producer in try producers(emit) { producer.join() }
        trial.gate.signal()
        trial.done.wait()
        return try memory.growth()
    }

    private func producers(
        after begin: DispatchSemaphore? = nil, _ emit: @escaping @Sendable (Counting.Event) -> Void
    ) throws -> [BenchThread] {
        try (0..<2).map { _ in
            try BenchThread { [events] in
                begin?.wait()
                for _ in 0..<events / 2 { emit(.up(1)) }
            }
        }
    }
}
