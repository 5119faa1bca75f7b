import Dispatch
import HostLoop
import PluginHost
import Records

// How a run ends: effects first, then plugins, then open pointers.
extension AppRun {
    func setDeadline(ofLoops: Bool, _ body: @escaping @Sendable () -> Void) {
        let deadline = clock.schedule(at: clock.now.advanced(by: Self.deadline), body)
        let past = state.withLock { state in
            // The loops may end before this is called. Then the deadline of the plugins already counts.
            guard !ofLoops || !state.isEnding else { return Optional(deadline) }
            defer { state.deadline = deadline }
            return state.deadline
        }
        past?.cancel()
    }

    /// Stops the plugins, within a deadline of their own. Effects have ended, or are abandoned.
    func effectsEnded() {
        let loops = state.withLock { state -> Int? in
            guard !state.isEnding else { return nil }
            state.isEnding = true
            return state.loops.count
        }
        guard let loops else { return }
        let left = (0..<loops).flatMap { index in
            running(inLoop: index).map { (loop: index, feedback: $0) }
        }
        state.withLock { $0.abandoned = left.map(\.feedback) }
        guard !life.hasEnded else { return finish() }
        setDeadline(ofLoops: false) { [self] in finish() }
        life.end(leaving: left, slotsInUse, keeping: keep) { [self] in finish() }
    }

    /// Keeps the state of a stopped instance in the journal; nil when nothing is to be kept: the instances of a run
    /// that is followed are not those of a later process.
    private var keep: (@Sendable (InstanceSlot, SavedState) -> Void)? {
        guard !isFollowed, let journal else { return nil }
        return { slot, state in
            guard !journal.keep(slot.name, state) else { return }
            slot.instance.image.report(
                "the state of `\(slot.name)` is not kept: it has \(state.data.count) bytes, and a journal takes at "
                    + "most \(AppJournal.mostOfState); the next process begins without it")
        }
    }

    func loopEnded() {
        let isLast = state.withLock { state in
            state.unfinished -= 1
            return state.unfinished == 0
        }
        if isLast { effectsEnded() }
    }

    func finish() {
        let handles = state.withLock(\.handles)
        let running = life.running
        let counters = loopCounters
        let (end, deadline) = state.withLock { state -> (AppEnd?, Cancellation?) in
            guard !state.isFinishing else { return (nil, nil) }
            state.isFinishing = true
            // The loops stay referenced: they must not be released within one of their own notifications.
            defer { state.deadline = nil }
            return (
                AppEnd(
                    outcome: state.run.outcome ?? .nothingLeft(unreached: []),
                    counters: sum(counters, state),
                    abandoned: state.abandoned + running + (state.before?.runningFeedbacks ?? []),
                    failure: state.failure), state.deadline
            )
        }
        guard let end else { return }
        // Otherwise the timer would keep the run and its loops until it is due.
        deadline?.cancel()
        // Abandoned effects may still use the open pointers.
        guard !handles.isEmpty, end.abandoned.isEmpty else { return conclude(end) }
        close(handles) { [self] in conclude(end) }
    }

    private func conclude(_ end: AppEnd) {
        let probations = state.withLock { state in
            defer { state.probations = nil }
            return state.probations ?? [:]
        }
        for probation in probations.values { probation.end() }
        // The run that follows continues the journal.
        if !isFollowed { journal?.close() }
        // A loop may end with the first answer of a new version, before the swap is counted.
        bounded({ whenCounted($0) }) { [self] in
            bounded({ services.images.whenIdle($0) }) { [self] in
                var end = end
                countSwaps(&end.counters)
                reportEnd(end)
            }
        }
    }

    private func whenCounted(_ body: @escaping @Sendable () -> Void) {
        let isCounted = state.withLock { state in
            if state.isSwitching { state.afterSwitch.append(body) }
            return !state.isSwitching
        }
        if isCounted { body() }
    }

    private func countSwaps(_ counters: inout AppCounters) {
        let swaps = state.withLock(\.swaps)
        (counters.swaps, counters.rollBacks) = (swaps[.swapped] ?? 0, swaps[.rolledBack] ?? 0)
        (counters.refusedSwaps, counters.failedSwaps) = (swaps[.refused] ?? 0, swaps[.failed] ?? 0)
        counters.replaced = services.images.counts - earlierImages
    }

    /// The counters so far.
    public var counters: AppCounters {
        let loops = loopCounters
        var counters = state.withLock { sum(loops, $0) }
        countSwaps(&counters)
        return counters
    }

    private func reportEnd(_ end: AppEnd) {
        let waiting = state.withLock { state in
            state.end = end
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume(end) }
    }

    /// Closes the open pointers. Calls `done` afterwards, or at the deadline if the plugins' functions take
    /// longer.
    private func close(_ handles: [OpenHandles], _ done: @escaping @Sendable () -> Void) {
        let left = Lock(handles.count)
        bounded(
            { closed in
                for table in handles {
                    table.endRun {
                        let isLast = left.withLock { left in
                            left -= 1
                            return left == 0
                        }
                        if isLast { closed() }
                    }
                }
            }, done)
    }

    /// Begins work of plugins. Calls `done` once, when the work is over or at the deadline.
    private func bounded(
        _ begin: (_ ended: @escaping @Sendable () -> Void) -> Void, _ done: @escaping @Sendable () -> Void
    ) {
        Deadline.call(done, after: Self.deadline, of: clock, orWhenDone: begin)
    }

    /// Those of all loops so far, also of loops that did not continue here.
    private var loopCounters: [LoopCounters] {
        let (loops, kinds) = state.withLock { ($0.loops + $0.past.loops, $0.kinds.values + $0.past.kinds) }
        return loops.map(\.counters) + kinds.map(\.counters)
    }

    private func sum(_ loops: [LoopCounters], _ state: State) -> AppCounters {
        var sum = AppCounters()
        sum.drops = services.lateEmissions - earlierDrops + drops.total
        for loop in loops {
            sum.steps += Int(loop.steps)
            sum.events += Int(loop.steps + loop.unhandled)
            sum.withdrawn += Int(loop.withdrawn)
            sum.discarded += Int(loop.discarded)
            sum.drops += Int(loop.late + loop.dropped + loop.droppedRequests)
        }
        sum.lostMessages = (state.kinds.values + state.past.kinds).reduce(
            gears.lost + state.past.lostMessages
        ) { $0 + $1.lost.total }
        sum.faults = state.run.faults + state.past.faults
        return sum
    }
}
