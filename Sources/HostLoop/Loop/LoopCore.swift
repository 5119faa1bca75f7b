public import Synchronization

/// A running loop: its state, and the thread-owned half of everything.
// Safe because `held` is written only with `stateLock` held, by the draining thread, which reads it without; `performed` is touched
// only with that lock held; of a loop that rests both may be read with the inbox held, while the lock is biased; every other
// variable is touched only by the draining thread (see `Mailbox`).
@usableFromInline
final class LoopCore<State: Sendable, Event: Sendable>: Mailbox<Event>, EndSource, @unchecked Sendable {
    @usableFromInline let plan: SpinPlan<State, Event>
    /// The feedback declared first, which leads to the others.
    @usableFromInline @safe @exclusivity(unchecked) var first: FeedbackSlot<State, Event>?
    /// Nil while the loop has nothing of that: an idle one should be small.
    @usableFromInline @safe @exclusivity(unchecked) var annex: LoopAnnex<State, Event>?
    @usableFromInline let stateLock = StateLock()
    @usableFromInline let tally = LoopTally()
    /// The state that feedbacks and observers have been given, or are being given: it stays the same meanwhile.
    @usableFromInline @safe @exclusivity(unchecked) var held: HeldState<State>
    /// Steps that were performed and are not delivered; while there are any, no queued event is reduced.
    @usableFromInline @safe @exclusivity(unchecked) var performed: PerformedSteps<State, Event>?

    @inlinable
    init(plan: SpinPlan<State, Event>, observers: [any LoopObserver<State, Event>]) {
        self.plan = plan
        if !observers.isEmpty { annex = LoopAnnex(observers: observers) }
        held = HeldState(plan.initialState)
        super.init(
            isObserved: observers.contains { $0.seesSteps }, hasFollowUp: plan.until != nil,
            capacity: plan.mailbox, runsOnCaller: plan.executor.isCaller)
    }

    /// A copy of the state.
    @inlinable var state: State {
        get { held.value }
        set { held.value = newValue }
    }

    @usableFromInline
    override func run() {
        LoopScope.bind(core: self) { plan.drain(self) }
    }

    @usableFromInline
    override func perform(_ events: ContiguousArray<Event>) -> EmitResult {
        events.count == 1 ? perform(events[0]) : performAhead(events)
    }

    @usableFromInline
    override func takeHere(_ event: Event) {
        plan.takeHere(self, event)
    }

    override var capacity: MailboxCapacity { plan.mailbox }

    @usableFromInline
    override var clock: any LoopClock { plan.clock }

    @usableFromInline
    override func wake() {
        plan.executor.enqueue(self)
    }

    @usableFromInline
    override var executor: LoopExecutor { plan.executor }

    @usableFromInline
    override func caught(_ error: any Error, feedback: Int32) -> Event? {
        plan.feedbacks[Int(feedback)].recover?(error)
    }

    @usableFromInline
    override func slot(at index: Int32) -> FeedbackSlot<State, Event> {
        let key = Int(index) - plan.feedbacks.count
        guard key < 0 else { return annex!.keyed[key] }
        var slot = first!
        while slot.index != index { slot = slot.next! }
        return slot
    }

    // MARK: - From any thread

    var counters: LoopCounters {
        var counters = LoopCounters()
        counters.steps = tally.steps.load(ordering: .relaxed)
        counters.unhandled = tally.unhandled.load(ordering: .relaxed)
        counters.faults = tally.faults.load(ordering: .relaxed)
        return inbox.withLock { inbox in
            var counters = counters
            counters.late = inbox.runs.late
            counters.withdrawn = inbox.runs.withdrawn
            counters.discarded = inbox.runs.discarded
            counters.refused = inbox.runs.refused
            guard isBounded else { return counters }
            counters.dropped = inbox.room.dropped
            counters.droppedRequests = inbox.room.droppedRequests
            return counters
        }
    }

    @usableFromInline
    var running: [EffectRun] {
        var runs = inbox.withLock { $0.runs.keys }.map { plan.run($0.number, ofFeedbackAt: $0.feedback) }
        if let (number, feedback) = CallingRun.unpacked(calling.load(ordering: .relaxed)) {
            let run = plan.run(number, ofFeedbackAt: feedback)
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
        drain(reducing: plan.reducer.body, until: plan.until, reclaiming: plan.reclaim, to: first)
    }

    /// The same for a loop that has begun.
    ///
    /// A step counts no references: that would cost more than all else it does. Hence the arguments, which the caller
    /// holds; the feedbacks as a chain of constants; and optionals that are not bound to a name, which would count.
    @inlinable @inline(never)
    func drain(
        reducing body: Reducer<State, Event>.Body, until: SpinPlan<State, Event>.Until?,
        reclaiming reclaim: SpinPlan<State, Event>.Reclaim?, to first: FeedbackSlot<State, Event>?
    ) {
        var slice = LoopSlice(at: plan.executor.isCaller ? nil : plan.clock.now)
        while true {
            let raised = signals.load(ordering: .acquiring)
            if raised != 0 {
                // What ends or starts a run comes before the next event; mail alone may keep coming. Taking events from
                // outside one by one, as they come, would have this thread contend for the lock with those who emit.
                let waits = queue.isEmpty ? LoopSignal.bounded : LoopSignal.bounded | LoopSignal.events
                if raised & ~waits != 0 {
                    if attendToAll() { return }
                    if has(LoopSignal.performed) {
                        deliverPerformed()
                        if leaves(&slice) { return resume() }
                        continue
                    }
                }
                if raised & LoopSignal.bounded != 0 { makeReady() }
            }
            guard let taken = queue.take() else {
                if has(LoopSignal.notices) {
                    if leaves(&slice) { return resume() }
                } else if rest() {
                    return
                }
                continue
            }
            if taken.next >= 0, taken.feedback >= 0 {
                advance(first!, at: taken.feedback, to: taken.next)
            }
            step(consume taken, reducing: body, until: until, reclaiming: reclaim, to: first)
            if leaves(&slice) { return resume() }
        }
    }

    /// The run that the event at hand is from has `next` as its first entry: asked of the slot with that index, which is
    /// this one or follows it.
    @inlinable @inline(__always)
    func advance(_ slot: FeedbackSlot<State, Event>, at index: Int32, to next: Int) {
        if slot.index == index {
            if slot.policy.withdraws { slot.advance(to: next) }
        } else if slot.next != nil {
            advanceRest(slot.next!, at: index, to: next)
        } else {
            advanceRest(annex!.keyed[Int(index - slot.index) - 1], at: index, to: next)
        }
    }

    @inlinable @inline(never)
    func advanceRest(_ slot: FeedbackSlot<State, Event>, at index: Int32, to next: Int) {
        advance(slot, at: index, to: next)
    }

    /// Counts a step; true when the slice is over, and the thread is to be left.
    @inlinable @inline(__always)
    func leaves(_ slice: inout LoopSlice) -> Bool {
        slice.looks() && slice.isOver(at: plan.clock.now)
    }

    /// Leaves the thread, which runs this as a job of the executor, with more to do.
    @usableFromInline
    func resume() {
        thread.store(0, ordering: .relaxed)
        plan.executor.resume(self)
    }

    /// Leaves the thread, with more to do.
    @usableFromInline
    func handOver() {
        thread.store(0, ordering: .relaxed)
        wake()
    }

    /// Makes the feedbacks and shows everyone the initial state.
    @inlinable @inline(never)
    func begin() {
        hasBegun = true
        if annex != nil, goesOn() { return }
        makeSlots()
        tell { $0.started(state) }
        deliver(held, nil, to: first)
        check(plan.until, held)
    }

    @inlinable
    func makeSlots() {
        for index in plan.feedbacks.indices.reversed() {
            first = FeedbackSlot(
                mailbox: self, index: Int32(index), feedback: Int32(index),
                policy: plan.feedbacks[index].policy, executor: plan.feedbacks[index].executor,
                memory: plan.feedbacks[index].makeMemory(), next: first)
        }
    }

    /// Looks at what the signals tell until they tell no more; true when the loop has stopped, or rests.
    ///
    /// The calls that runs ask for meanwhile are left for after the next event: a run that goes on asking, and
    /// a gear with a fast sender, must not keep the loop from its events.
    @inlinable
    func attendToAll() -> Bool {
        if attend(resuming: true) { return true }
        while has(LoopSignal.notices | LoopSignal.stop) {
            if attend(resuming: false) { return true }
        }
        if !notices.isEmpty { inbox.withLock { _ in raise(LoopSignal.notices) } }
        return annex != nil && rests()
    }

    @inlinable
    func attend(resuming: Bool) -> Bool {
        guard !has(LoopSignal.stop) else {
            close()
            return true
        }
        absorb()
        guard has(LoopSignal.notices) else { return false }
        inbox.withLock { _ in lower(LoopSignal.notices) }
        let arrived = notices
        notices = []
        for notice in arrived {
            if !resuming, case .resumed = notice { notices.append(notice) } else { attend(to: notice) }
        }
        return false
    }

    /// Leaves the thread to others when nothing is left to do.
    @inlinable
    func rest() -> Bool {
        if hasObservers, !isQuiescent, waiting == 0, !has(LoopSignal.performed),
            inbox.withLock({ $0.isEmpty && $0.runs.live == 0 })
        {
            isQuiescent = true
            tell { $0.quiescent() }
            return false
        }
        queue.trim()
        return inbox.withLock { inbox in
            guard !has(LoopSignal.performed), inbox.rest() else { return false }
            thread.store(0, ordering: .relaxed)
            return true
        }
    }
}
