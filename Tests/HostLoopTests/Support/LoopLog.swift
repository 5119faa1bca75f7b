@testable import HostLoop

/// Writes down, as lines, everything that observers are told, and lets tests wait for a line.
final class LoopLog<State: Sendable, Event: Sendable>: LoopObserver {
    private struct Book: Sendable {
        var lines: [String] = []
        var states: [State] = []
        var steps: [LoopStep<State, Event>] = []
        var faults: [LoopFault] = []
        var waiters: [(isMet: @Sendable ([String]) -> Bool, resume: @Sendable () -> Void)] = []
    }

    private let book = Lock(Book())
    let seesSteps: Bool
    private let hook: @Sendable (String) -> Void

    /// - Parameter hook: called with each line after it was written, on the loop's executor.
    init(seesSteps: Bool = true, hook: @escaping @Sendable (String) -> Void = { _ in }) {
        self.seesSteps = seesSteps
        self.hook = hook
    }

    var lines: [String] { book.withLock { $0.lines } }
    /// The initial state and the one after each step.
    var states: [State] { book.withLock { $0.states } }
    var steps: [LoopStep<State, Event>] { book.withLock { $0.steps } }
    var faults: [LoopFault] { book.withLock { $0.faults } }

    func lines(_ prefix: String) -> [String] { lines.filter { $0.hasPrefix(prefix) } }

    /// Waits until the lines are as `isMet` wants them.
    func wait(_ isMet: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = book.withLock { book in
                if isMet(book.lines) { return true }
                book.waiters.append((isMet, { continuation.resume() }))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    /// Waits until the line was written `count` times.
    func wait(for line: String, count: Int = 1) async {
        await wait { lines in lines.count { $0 == line } >= count }
    }

    func started(_ state: State) {
        book.withLock { $0.states.append(state) }
        write("started \(state)")
    }
    func stepped(_ step: LoopStep<State, Event>) {
        book.withLock {
            $0.states.append(step.after)
            $0.steps.append(step)
        }
        write("step \(step.index) \(step.event): \(step.before) to \(step.after)")
    }
    func unhandled(_ event: Event, from origin: EventOrigin) { write("unhandled \(event)") }
    func effectStarted(_ run: EffectRun, by event: Event?) { write("run \(run.feedback) \(run.number)") }
    func effectEnded(_ run: EffectRun) { write("end \(run.feedback) \(run.number)") }
    func effectCancelled(_ run: EffectRun) { write("cancel \(run.feedback) \(run.number)") }
    func faulted(_ fault: LoopFault) {
        book.withLock { $0.faults.append(fault) }
        write("fault \(fault.source.feedback ?? "-") at \(fault.step): \(fault.error)")
    }
    func late(_ event: Event, from run: EffectRun) { write("late \(event) of \(run.feedback) \(run.number)") }
    func withdrawn(_ event: Event, from run: EffectRun) {
        write("withdrawn \(event) of \(run.feedback) \(run.number)")
    }
    func dropped(_ event: Event, from origin: EventOrigin) {
        write("dropped \(event) of \(origin.run.map { "\($0.feedback) \($0.number)" } ?? "outside")")
    }
    func quiescent() { write("quiescent") }
    func stopped(_ reason: StopReason) {
        write(reason == .until ? "stopped: until" : reason == .released ? "stopped: released" : "stopped")
    }

    private func write(_ line: String) {
        let waiters = book.withLock { book in
            book.lines.append(line)
            let met = book.waiters.filter { $0.isMet(book.lines) }
            book.waiters.removeAll { $0.isMet(book.lines) }
            return met.map { $0.resume }
        }
        for resume in waiters { resume() }
        hook(line)
    }
}
