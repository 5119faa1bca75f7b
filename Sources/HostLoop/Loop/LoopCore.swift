public import Synchronization

/// A running loop: its state, and the thread-owned half of everything.
// Safe because `state` is written only with the lock of `tally` held, by the draining thread, which alone
// reads it without; every other variable is touched only by that thread (see `Mailbox`).
@usableFromInline
final class LoopCore<State: Sendable, Event: Sendable>: Mailbox<Event>, EndSource, @unchecked Sendable {
    @usableFromInline let plan: SpinPlan<State, Event>
    @usableFromInline @safe @exclusivity(unchecked) var observers: [any LoopObserver<State, Event>]
    @usableFromInline @safe @exclusivity(unchecked) var slots: ContiguousArray<FeedbackSlot<State, Event>> =
        []
    @usableFromInline let tally = Lock(LoopTally())
    @usableFromInline @safe @exclusivity(unchecked) var hasBegun = false
    @usableFromInline @safe @exclusivity(unchecked) var isReducing = false
    /// Observers were told that nothing can happen any more, and nothing has since.
    @usableFromInline @safe @exclusivity(unchecked) var isQuiescent = false
    /// Calls that wait for another call of their feedback.
    @usableFromInline @safe @exclusivity(unchecked) var waiting: Int32 = 0
    @usableFromInline @safe @exclusivity(unchecked) var state: State

    @inlinable
    init(plan: SpinPlan<State, Event>, observers: [any LoopObserver<State, Event>]) {
        self.plan = plan
        self.observers = observers
        state = plan.initialState
        super.init(executor: plan.executor, isObserved: observers.contains { $0.seesSteps })
    }

    @usableFromInline
    override func run() {
        LoopScope.bind(core: self, executor: executor) { plan.drain(self) }
    }

    @usableFromInline
    override var clock: any LoopClock { plan.clock }

    @usableFromInline
    override func caught(_ error: any Error, feedback: Int32) -> Event? {
        plan.feedbacks[Int(feedback)].recover?(error)
    }

    // MARK: - From any thread

    @inlinable
    var currentState: State {
        if thread.load(ordering: .relaxed) == currentThread() {
            precondition(
                !isReducing, "a reducer read the state of its own loop; it is given the state as its argument"
            )
            return state
        }
        return tally.withLock { _ in state }
    }

    var counters: LoopCounters {
        var counters = LoopCounters()
        (counters.steps, counters.unhandled, counters.faults) =
            tally.withLock { ($0.steps, $0.unhandled, $0.faults) }
        (counters.late, counters.withdrawn, counters.discarded) =
            inbox.withLock { ($0.runs.late, $0.runs.withdrawn, $0.runs.discarded) }
        return counters
    }

    @usableFromInline
    var running: [EffectRun] {
        var runs = inbox.withLock { $0.runs.keys }.map { plan.run($0.number, ofFeedbackAt: $0.feedback) }
        let feedback = callingFeedback.load(ordering: .relaxed)
        if feedback >= 0 {
            let run = plan.run(callingNumber.load(ordering: .relaxed), ofFeedbackAt: feedback)
            if !runs.contains(run) { runs.append(run) }
        }
        return runs
    }

    // MARK: - The draining thread

    /// Takes events until there are none, or the thread has to be left, or the loop stops.
    @inlinable
    func drain() {
        thread.store(currentThread(), ordering: .relaxed)
        if !hasBegun { begin() }
        drain(reducing: plan.reducer.body, to: slots.first)
    }

    /// The same for a loop that has begun.
    ///
    /// A step counts no references: that would cost more than all else it does. Hence the arguments, which the caller
    /// holds; the feedbacks as a chain of constants; and optionals that are not bound to a name, which would count.
    @inlinable @inline(never)
    func drain(reducing body: Reducer<State, Event>.Body, to first: FeedbackSlot<State, Event>?) {
        let keepsThread = executor.isCaller
        var slice = LoopSlice(at: keepsThread ? LoopInstant(nanoseconds: 0) : plan.clock.now)
        while true {
            if signals.load(ordering: .acquiring) != 0 {
                // What ends or starts a run comes before the next event; mail alone may keep coming.
                repeat { if attend() { return } } while has(LoopSignal.notices | LoopSignal.stop)
            }
            guard let taken = queue.take() else {
                if rest() { return }
                continue
            }
            if taken.next >= 0, taken.feedback >= 0 {
                let slot = slots[Int(taken.feedback)]
                if slot.policy.withdraws { slot.advance(to: taken.next) }
            }
            step(taken, reducing: body, to: first)
            if slice.looks(), !keepsThread, slice.isOver(at: plan.clock.now) {
                thread.store(0, ordering: .relaxed)
                executor.enqueue(self)
                return
            }
        }
    }

    /// Makes the feedbacks and shows everyone the initial state.
    @inlinable @inline(never)
    func begin() {
        hasBegun = true
        slots.reserveCapacity(plan.feedbacks.count)
        for (index, feedback) in plan.feedbacks.enumerated().reversed() {
            slots.append(
                FeedbackSlot(
                    mailbox: self, index: Int32(index), policy: feedback.policy, executor: feedback.executor,
                    memory: feedback.makeMemory(), next: slots.last))
        }
        slots.reverse()
        tell { $0.started(state) }
        deliver(nil, to: slots.first)
        checkUntil()
    }

    /// Looks at what the signals tell; true when the loop has stopped.
    @inlinable
    func attend() -> Bool {
        guard !has(LoopSignal.stop) else {
            close()
            return true
        }
        absorb()
        guard has(LoopSignal.notices) else { return false }
        inbox.withLock { _ in lower(LoopSignal.notices) }
        let arrived = notices
        notices = []
        for notice in arrived { attend(to: notice) }
        return false
    }

    /// Leaves the thread to others when nothing is left to do.
    @inlinable
    func rest() -> Bool {
        if !observers.isEmpty, !isQuiescent, waiting == 0,
            inbox.withLock({ $0.isEmpty && $0.runs.live == 0 })
        {
            isQuiescent = true
            tell { $0.quiescent() }
            return false
        }
        queue.trim()
        if spare.capacity > 64 { spare = [] }
        return inbox.withLock { inbox in
            guard inbox.rest() else { return false }
            thread.store(0, ordering: .relaxed)
            return true
        }
    }
}
