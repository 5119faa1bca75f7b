import HostLoop

/// The state that all parts of one subscription share: the clock, and a count of its tasks.
///
/// A cancelled task may still run for some time. The subscriber can wait until all tasks have ended.
final class FlowLife: Sendable {
    private struct State: Sendable {
        var workers = 0
        var isClosed = false
        var whenIdle: (@Sendable () -> Void)?
        var ids: CancellationIDs?
    }

    let clock: any LoopClock
    /// The capacity of the mailbox at the end of the flow.
    let capacity: MailboxCapacity
    /// Counts a value that was dropped because that mailbox was full.
    let countFull: @Sendable () -> Void
    private let idsOfLoop: (@Sendable () -> CancellationIDs)?
    private let state = Lock(State())

    /// Makes the state of a subscription outside of loops.
    init(clock: any LoopClock) {
        self.clock = clock
        capacity = .unbounded
        countFull = {}
        idsOfLoop = nil
    }

    /// Makes the state of a subscription for a run.
    init<Event>(of effectRun: Run<Event>) {
        clock = effectRun.clock
        capacity = effectRun.capacity
        countFull = { effectRun.countFull() }
        idsOfLoop = { effectRun.cancellationIDs }
    }

    /// The ids that are valid in the loop, or in the subscription if there is no loop.
    var ids: CancellationIDs {
        if let idsOfLoop { return idsOfLoop() }
        return state.withLock { state in
            let ids = state.ids ?? CancellationIDs()
            state.ids = ids
            return ids
        }
    }

    /// Counts a new task of the subscription.
    /// - Returns: false if the subscription has ended and the task must not begin.
    func beginTask() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.workers += 1
            return true
        }
    }

    /// Records the end of a task.
    func endTask() {
        let whenIdle = state.withLock { state -> (@Sendable () -> Void)? in
            state.workers -= 1
            guard state.workers == 0 else { return nil }
            defer { state.whenIdle = nil }
            return state.whenIdle
        }
        whenIdle?()
    }

    /// Prevents new tasks, and calls `whenIdle` when all tasks have ended; repeating it does nothing.
    func close(whenIdle: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            if state.workers > 0 { state.whenIdle = whenIdle }
            return state.workers == 0
        }
        if isIdle { whenIdle() }
    }
}
