@testable import HostLoop

/// Records everything that observers see, as lines, and lets tests wait for a line.
final class LoopLog<State: Sendable, Event: Sendable>: LoopObserver {
    private struct Contents: Sendable {
        var lines: [String] = []
        var states: [State] = []
        var steps: [LoopStep<State, Event>] = []
        var faults: [LoopFault] = []
        var waiters: [(isMet: @Sendable ([String]) -> Bool, resume: @Sendable () -> Void)] = []
    }

    private let contents = Lock(Contents())
    let seesSteps: Bool
    private let hook: @Sendable (String) -> Void

    /// - Parameter hook: Called with each line after it was recorded, on the loop's executor.
    init(seesSteps: Bool = true, hook: @escaping @Sendable (String) -> Void = { _ in }) {
        self.seesSteps = seesSteps
        self.hook = hook
    }

    var lines: [String] { contents.withLock { $0.lines } }
    /// The initial state, and the state after each step.
    var states: [State] { contents.withLock { $0.states } }
    var steps: [LoopStep<State, Event>] { contents.withLock { $0.steps } }
    var faults: [LoopFault] { contents.withLock { $0.faults } }

    func lines(_ prefix: String) -> [String] { lines.filter { $0.hasPrefix(prefix) } }

    /// Waits until the lines are as `isMet` wants them.
    func wait(_ isMet: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = contents.withLock { contents in
                if isMet(contents.lines) { return true }
                contents.waiters.append((isMet, { continuation.resume() }))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    /// Waits until the line was recorded `count` times.
    func wait(for line: String, count: Int = 1) async {
        await wait { lines in lines.count { $0 == line } >= count }
    }

    func started(_ state: State) {
        contents.withLock { $0.states.append(state) }
        write("started \(state)")
    }
    func stepped(_ step: LoopStep<State, Event>) {
        contents.withLock {
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
        contents.withLock { $0.faults.append(fault) }
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
        let waiters = contents.withLock { contents in
            contents.lines.append(line)
            let met = contents.waiters.filter { $0.isMet(contents.lines) }
            contents.waiters.removeAll { $0.isMet(contents.lines) }
            return met.map { $0.resume }
        }
        for resume in waiters { resume() }
        hook(line)
    }
}
