import Dispatch
import HostLoop
import PluginHost
import Records

/// A running app: its loops, and how they end.
///
/// The app runs until its loops are done, nothing can happen any more, or `stop` is called. May be used
/// from any thread.
public final class AppRun: Sendable {
    /// How long effects may take to come to their end once the app stops.
    public static let deadline: Duration = .seconds(5)

    private struct State {
        var run: AppRunState
        var prepared: [@Sendable () -> Loop<Record, AppEvent>] = []
        var loops: [Loop<Record, AppEvent>] = []
        var unfinished = 0
        var deadline: Cancellation?
        var isFinishing = false
        var end: AppEnd?
        var waiting: [@Sendable (AppEnd) -> Void] = []
        var hasStarted = false
        var stopAtStart = false
    }

    private let state: Lock<State>
    private let clock: any LoopClock
    private let services: HostServices
    /// The gears between the loops.
    let gears: AppGears
    private let earlierDrops: Int
    /// Pointers that effects have opened.
    private let handles: [OpenHandles]
    /// Emissions that nobody wants.
    let drops = DropCount()

    init(
        _ run: AppRunState, clock: any LoopClock, services: HostServices, gears: AppGears,
        handles: [OpenHandles]
    ) {
        state = Lock(State(run: run))
        self.handles = handles
        (self.clock, self.services, self.gears) = (clock, services, gears)
        earlierDrops = services.lateEmissions
    }

    /// A loop of the run, to be started with it.
    func add(_ start: @escaping @Sendable () -> Loop<Record, AppEvent>) {
        state.withLock { $0.prepared.append(start) }
    }

    /// Starts the loops. Once for each run.
    public func start() {
        for table in handles { table.beginRun() }
        let (loops, stops) = state.withLock { state in
            precondition(!state.hasStarted, "a run starts once")
            // Starting a loop only queues it. What it tells meanwhile waits for the lock, so nothing is told of a run
            // that does not know its loops.
            state.loops = state.prepared.map { $0() }
            state.prepared = []
            state.unfinished = state.loops.count
            state.hasStarted = true
            return (state.loops, state.stopAtStart)
        }
        for loop in loops { loop.ended.notify { [self] in loopEnded() } }
        if stops || loops.isEmpty { stopLoops() }
    }

    /// Ends the app: soon no event is taken any more, and running effects are cancelled, on a thread of its
    /// own. Returns at once, also to an observer; repeating it does nothing.
    public func stop() { act(elsewhere: true) { $0.stop() } }

    /// Waits for the end of the app, at most `deadline` after it began to stop.
    public func end() async -> AppEnd {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { state.waiting.append { continuation.resume(returning: $0) } }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    /// The feedbacks whose effects run now.
    public var running: [String] {
        state.withLock { $0.loops }.flatMap { $0.ended.running }.map(\.feedback)
    }

    /// The same in one loop.
    func running(inLoop index: Int) -> [String] {
        state.withLock { $0.loops.indices.contains(index) ? $0.loops[index] : nil }?
            .ended.running.map(\.feedback) ?? []
    }

    /// The number of the state that a loop is in.
    func step(ofLoop index: Int) -> UInt64 {
        state.withLock { $0.loops.indices.contains(index) ? $0.loops[index] : nil }?.counters.steps ?? 0
    }

    func quiescent(loop: Int) { act { $0.quiescent(loop, messagesWait: gears.hasUndelivered) } }

    /// A message is about to become events of a loop; told before it counts as delivered.
    func received(loop: Int) { state.withLock { $0.run.received(loop) } }

    func stopped(loop: Int, reachedUntil: Bool) {
        act { $0.stopped(loop, reachedUntil: reachedUntil, messagesWait: gears.hasUndelivered) }
    }

    /// Something failed on the loop's executor.
    func faulted() { act { $0.faulted() } }

    /// Something failed on a thread of a plugin, which may hold what its own functions wait for.
    func faultedElsewhere() { act(elsewhere: true) { $0.faulted() } }

    /// - Parameter elsewhere: whether loops are stopped on another thread: stopping one calls the functions that its
    ///   effects registered for their cancellation.
    private func act(elsewhere: Bool = false, _ decide: (inout AppRunState) -> AppRunState.Action) {
        let stops = state.withLock { state in
            guard case .stopLoops = decide(&state.run) else { return false }
            state.stopAtStart = true
            return state.hasStarted
        }
        guard stops else { return }
        if elsewhere {
            // Not a task: the functions of plugins may take their time, and would keep others from running.
            DispatchQueue.global().async { [self] in stopLoops() }
        } else {
            stopLoops()
        }
    }

    private func stopLoops() {
        let loops = state.withLock { $0.loops }
        // First, as it must come also when a plugin's function does not return.
        let deadline = clock.schedule(at: clock.now.advanced(by: Self.deadline)) { [self] in finish() }
        state.withLock { $0.deadline = deadline }
        for loop in loops { loop.stop() }
        if loops.isEmpty { finish() }
    }

    private func loopEnded() {
        let isLast = state.withLock { state in
            state.unfinished -= 1
            return state.unfinished == 0
        }
        if isLast { finish() }
    }

    private func finish() {
        let loops = state.withLock { $0.loops }
        let abandoned = loops.flatMap { $0.ended.running }.map(\.feedback)
        let counters = loops.map(\.counters)
        let (end, deadline) = state.withLock { state -> (AppEnd?, Cancellation?) in
            guard !state.isFinishing else { return (nil, nil) }
            state.isFinishing = true
            // The loops are released with the run, not from within one of their own notifications.
            defer { state.deadline = nil }
            return (
                AppEnd(
                    outcome: state.run.outcome ?? .nothingLeft(unreached: []),
                    counters: sum(counters, faults: state.run.faults), abandoned: abandoned), state.deadline
            )
        }
        guard let end else { return }
        // The timer would keep the run and its loops until it is due.
        deadline?.cancel()
        // What still runs may use the pointers that are open.
        guard !handles.isEmpty, abandoned.isEmpty else { return conclude(end) }
        closeHandles { [self] in conclude(end) }
    }

    private func conclude(_ end: AppEnd) {
        let waiting = state.withLock { state in
            state.end = end
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume(end) }
    }

    /// Closes the pointers that are open, and calls `done` after that, or after the deadline if the plugins' functions take
    /// longer.
    private func closeHandles(_ done: @escaping @Sendable () -> Void) {
        // 0 once `done` was called.
        let left = Lock(handles.count)
        let deadline = clock.schedule(at: clock.now.advanced(by: Self.deadline)) {
            let isFirst = left.withLock { left in
                defer { left = 0 }
                return left > 0
            }
            if isFirst { done() }
        }
        for table in handles {
            table.endRun {
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                guard isLast else { return }
                deadline.cancel()
                done()
            }
        }
    }

    private func sum(_ loops: [LoopCounters], faults: Int) -> AppCounters {
        var sum = AppCounters()
        sum.drops = services.lateEmissions - earlierDrops + drops.total
        for loop in loops {
            sum.steps += Int(loop.steps)
            sum.events += Int(loop.steps + loop.unhandled)
            sum.withdrawn += Int(loop.withdrawn)
            sum.discarded += Int(loop.discarded)
            sum.drops += Int(loop.late + loop.dropped + loop.droppedRequests)
        }
        sum.lostMessages = gears.lost
        sum.faults = faults
        return sum
    }
}
