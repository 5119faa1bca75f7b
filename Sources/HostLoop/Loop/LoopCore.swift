public import Synchronization

/// A running loop: its door, its state, and the data that only the draining thread touches.
// Safe because only the draining thread writes `stateBox`, with `stateLock` held; it reads it without the
// lock. `performed` is touched only with that lock held. Other threads may read both while the loop is idle
// and the lock is biased, with the inbox locked. Only the draining thread touches the other variables (see
// `Door`).
@usableFromInline
final class LoopCore<State: Sendable, Event: Sendable>: Door<Event>, EndSource, @unchecked Sendable {
    @usableFromInline typealias Slot = FeedbackSlot<State, Event>
    @usableFromInline typealias Body = Reducer<State, Event>.Body
    @usableFromInline typealias Plan = SpinPlan<State, Event>

    /// The declared feedbacks.
    @usableFromInline @safe @exclusivity(unchecked) var slots = FeedbackChain<State, Event>()
    /// For a journal: a run that began, and ended in its call with one event, which often makes the next step. The
    /// journal hears of it with that step, or before anything else; its number is 0 otherwise.
    @usableFromInline @safe @exclusivity(unchecked) var unrecorded: (feedback: Int32, run: UInt64) = (-1, 0)
    @usableFromInline let recordsCallsLater: Bool
    /// Rarely used state, allocated on demand.
    @usableFromInline @safe @exclusivity(unchecked) var extras: LoopExtras<State, Event>?
    @usableFromInline let stateLock = StateLock()
    @usableFromInline let tally = LoopTally()
    /// The state that feedbacks and observers have, or that they get in the current delivery. It does not
    /// change during a delivery.
    @usableFromInline @safe @exclusivity(unchecked) var stateBox: StateBox<State>
    /// Steps that were performed but not delivered. While there are any, the loop reduces no queued event.
    @usableFromInline @safe @exclusivity(unchecked) var performed: PerformedSteps<State, Event>?

    @inlinable
    init(plan: Plan, startingFrom state: State? = nil, observers: [any LoopObserver<State, Event>]) {
        if !observers.isEmpty { extras = LoopExtras(observers: observers) }
        stateBox = StateBox(state ?? plan.initialState)
        recordsCallsLater = plan.journal?.hearsOfCallsAtOnce == false
        let isObserved = observers.contains { $0.seesSteps }
        super.init(
            plan: plan, isObserved: isObserved, stepForm: Self.stepForm(of: plan, isObserved: isObserved),
            hasFollowUp: plan.until != nil)
    }

    @inlinable
    static func stepForm(of plan: Plan, isObserved: Bool) -> StepForm {
        if isObserved || plan.journal?.makesStepsDurable == true { return .elaborate }
        return plan.selection == nil ? .usual : .selecting
    }

    /// The loop that a door belongs to.
    @inlinable @inline(__always)
    static func of(_ door: Door<Event>) -> LoopCore {
        // Safe because every door is a loop of the types of its plan.
        unsafe unsafeDowncast(door, to: LoopCore.self)
    }

    @inlinable var spin: Plan {
        // Safe because `init` takes no other plan.
        unsafe unsafeDowncast(plan, to: Plan.self)
    }

    /// A copy of the state.
    @inlinable var state: State {
        get { stateBox.value }
        set { stateBox.value = newValue }
    }

    @inlinable
    func slot(at index: Int32) -> Slot {
        let key = Int(index) - spin.feedbacks.count
        return key < 0 ? slots[index] : extras!.keyed[key]
    }

    // MARK: - From any thread

    @usableFromInline var isRunningHere: Bool { LoopScope.current?.core === self }

    var counters: LoopCounters {
        var counters = LoopCounters()
        counters.steps = tally.steps.load(ordering: .relaxed)
        counters.unhandled = tally.unhandled.load(ordering: .relaxed)
        counters.faults = tally.faults.load(ordering: .relaxed)
        return inbox.withLock { inbox in
            var counters = counters
            counters.late = inbox.rarities.late
            counters.withdrawn = inbox.rarities.withdrawn
            counters.discarded = inbox.rarities.discarded
            counters.refused = inbox.rarities.refused
            guard isBounded else { return counters }
            counters.dropped = inbox.room.dropped
            counters.droppedRequests = inbox.room.droppedRequests
            return counters
        }
    }

    @usableFromInline
    var running: [EffectRun] {
        inbox.withLock { inbox in
            var keys = inbox.hasExtras ? inbox.runs.keys : []
            // The slots change only with the inbox's lock held.
            func add(_ slot: Slot) {
                let number = slot.calling.load(ordering: .relaxed)
                if number != 0, !keys.contains(slot.key(number)) { keys.append(slot.key(number)) }
            }
            slots.forEach(add)
            extras?.keyed.forEach(add)
            return keys
        }.map { spin.run($0.number, ofFeedbackAt: $0.feedback) }
    }

    // MARK: - The draining thread

    /// Takes events until there are none, or the thread must be yielded, or the loop stops.
    @inlinable
    func drain() {
        thread.store(currentThread(), ordering: .relaxed)
        owner?.drains()
        if !hasBegun { begin() }
        drain(
            reducing: spin.reducer.body, until: spin.until, reclaiming: spin.reclaim, into: spin.journal,
            through: slots)
    }

    /// The same for a loop that has begun.
    ///
    /// A step counts no references: the counting would cost more than all its other work. So the caller holds
    /// the arguments, and the code does not bind optionals to names, which would count.
    @inlinable @inline(never)
    func drain(
        reducing body: Body, until: Plan.Until?, reclaiming reclaim: Plan.Reclaim?,
        into journal: Plan.Journal?, through slots: borrowing FeedbackChain<State, Event>
    ) {
        var slice = LoopSlice(at: plan.executor.isCaller ? nil : plan.clock.now)
        while true {
            let raised = signals.load(ordering: .acquiring)
            if raised != 0 {
                // Items of runs come before the next event; events from outside may wait. A thread that moved
                // these one by one, as they come, would contend with the emitters for the lock.
                let waits = queue.isEmpty ? LoopSignal.bounded : LoopSignal.bounded | LoopSignal.events
                if raised & ~waits != 0 {
                    if handleSignals() { return }
                    if has(LoopSignal.performed) {
                        deliverPerformed()
                        if mustYield(&slice) { return yieldToJobs() }
                        continue
                    }
                }
                if raised & LoopSignal.bounded != 0 { releaseRoomOfNext() }
            }
            guard let taken = queue.take() else {
                if has(LoopSignal.notices) {
                    if mustYield(&slice) { return yieldToJobs() }
                } else if rest() {
                    return
                }
                continue
            }
            step(
                consume taken, reducing: body, until: until, reclaiming: reclaim, into: journal,
                through: slots)
            if mustYield(&slice) { return yieldToJobs() }
        }
    }

    /// Counts a step. Returns whether the slice is over and the loop must yield its thread.
    @inlinable @inline(__always)
    func mustYield(_ slice: inout LoopSlice) -> Bool {
        slice.countStep() && slice.isOver(at: plan.clock.now)
    }

    /// Yields the thread while there is more to do. The thread runs this loop as a job of the executor.
    @usableFromInline
    func yieldToJobs() {
        thread.store(0, ordering: .relaxed)
        plan.executor.resume(self)
    }

    /// Yields the thread while there is more to do, and schedules the loop.
    @usableFromInline
    func yieldAndWake() {
        thread.store(0, ordering: .relaxed)
        plan.executor.enqueue(self)
    }

    /// Makes the feedbacks, and gives the initial state to observers and feedbacks.
    @inlinable @inline(never)
    func begin() {
        hasBegun = true
        owner?.begins()
        if extras != nil, beginAsSuccessor() { return }
        makeSlots()
        let resumption = extras?.resumption.take()
        if let resumption { resume(resumption) }
        notify { $0.started(state) }
        deliver(nil, stateBox, until: resumption == nil ? spin.until : nil, through: slots)
        if let resumption {
            beginRuns(of: resumption)
            followUp(spin.until, stateBox)
        }
    }

    @inlinable
    func makeSlots() {
        var chain = FeedbackChain<State, Event>()
        for (index, feedback) in spin.feedbacks.enumerated().reversed() {
            chain.prepend(
                Slot(
                    door: self, index: Int32(index), feedback: Int32(index), policy: feedback.policy,
                    executor: feedback.executor, memory: feedback.makeMemory()))
        }
        if spin.selection != nil { chain.makeTable() }
        inbox.withLock { [chain] _ in slots = chain }
    }

    /// Handles the signals until there are none. Returns true when the loop has stopped, or is parked.
    ///
    /// Calls that runs ask for meanwhile wait until after the next event. A run that asks again and again, or
    /// a gear with a fast sender, must not keep the loop from its events.
    @inlinable
    func handleSignals() -> Bool {
        if has(LoopSignal.revoking) { wakeRevoking() }
        if has(LoopSignal.callingRows) { removeCallingRows() }
        if handleNotices(resuming: true) { return true }
        while has(LoopSignal.notices | LoopSignal.stop) {
            if handleNotices(resuming: false) { return true }
        }
        if !notices.isEmpty { inbox.withLock { _ in raise(LoopSignal.notices) } }
        return extras != nil && parkIfAsked()
    }

    @inlinable
    func handleNotices(resuming: Bool) -> Bool {
        guard !has(LoopSignal.stop) else {
            close()
            return true
        }
        moveInboxToQueue()
        guard has(LoopSignal.notices) else { return false }
        inbox.withLock { _ in lower(LoopSignal.notices) }
        let arrived = notices
        notices = []
        for notice in arrived {
            if !resuming, case .resumed = notice { notices.append(notice) } else { handle(notice) }
        }
        return false
    }

    /// Makes the loop idle and releases the thread. Returns false when there is something to do.
    @inlinable
    func rest() -> Bool {
        if spin.journal != nil { recordRest() }
        if hasObservers || owner != nil, !isQuiescent, waiting == 0, !has(LoopSignal.performed),
            inbox.withLock({ $0.isEmpty && (!$0.hasExtras || $0.runs.live == 0) })
        {
            isQuiescent = true
            notify { $0.quiescent() }
            return false
        }
        // A loop by key is one of many, and most of them are idle.
        queue.trim(to: owner == nil ? 64 : 0)
        if isQuiescent, extras?.visitor != nil { visit(by: nil) }
        // Once the loop is idle, another thread may drain it.
        let (owner, isQuiescent) = (owner, isQuiescent)
        let rests = inbox.withLock { inbox in
            guard !has(LoopSignal.performed | LoopSignal.callingRows | LoopSignal.revoking), inbox.rest()
            else { return false }
            thread.store(0, ordering: .relaxed)
            return true
        }
        if rests { owner?.rested(isQuiescent: isQuiescent) } else { owner?.drains() }
        return rests
    }
}
