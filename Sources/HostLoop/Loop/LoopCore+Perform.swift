public import Synchronization

/// Events that are reduced on the thread that brings them, and delivered by it unless another does that.
extension LoopCore {
    @usableFromInline
    func refuseInReducer() {
        precondition(
            !isReducingHere,
            "a reducer performed an event of its own loop; it may emit, or answer the whole change at once")
    }

    /// Performs one event: in place, when the loop is idle and nobody wants the state before.
    @inlinable
    func perform(_ event: Event) -> EmitResult {
        refuseInReducer()
        guard !isObserved, inbox.withLock({ $0.claim() }) else { return performAhead([event]) }
        thread.store(currentThread(), ordering: .relaxed)
        let reduction = reduce(event, with: spin.reducer.body)
        if case .behind = reduction, apply([event]) { inbox.withLock { _ in raise(LoopSignal.performed) } }
        deliverHere { deliverReduction(reduction, of: event) }
        return .queued
    }

    /// Reduces an event that was emitted into the idle loop, which the calling thread has claimed, and drains the loop.
    @inlinable
    func reduceHere(_ event: Event) {
        thread.store(currentThread(), ordering: .relaxed)
        let reduction = reduce(event, with: spin.reducer.body)
        if case .behind = reduction {
            _ = queue.append(event, feedback: -1, run: 0)
            inbox.withLock { _ in raise(LoopSignal.performed) }
        }
        deliverHere { deliverReduction(reduction, of: event) }
    }

    /// Delivers what the reducer made of an event that nobody observes.
    @inlinable
    func deliverReduction(_ reduction: Reduction, of event: Event) {
        isQuiescent = false
        switch reduction {
        case .newState: deliver(event, stateBox, until: spin.until, through: slots)
        case .unhandled, .behind: break
        case .failed(let error): notifyFault(.reducer, error)
        }
    }

    /// Performs events, from any thread.
    @usableFromInline
    func perform(_ events: ContiguousArray<Event>) -> EmitResult {
        events.count == 1 ? perform(events[0]) : performAhead(events)
    }

    /// Performs events ahead of what is delivered, and sees to their delivery.
    @inlinable
    func performAhead(_ events: ContiguousArray<Event>) -> EmitResult {
        refuseInReducer()
        var isClaimed = claimForPerformed()
        let isApplied = apply(events) {
            // Another thread may have left the loop meanwhile. None does now: an event that a reducer emits must not claim it.
            if claimForPerformed() { isClaimed = true }
        }
        if isClaimed { deliverHere {} }
        guard !isApplied else { return .queued }
        // A successor takes them as if they were emitted.
        var result = EmitResult.stopped
        for event in events { result = refuse(event) }
        return result
    }

    /// Delivers what was applied, unless another thread or an outer frame is delivering.
    @inlinable
    func deliverApplied() {
        if claimForPerformed() { deliverHere {} }
    }

    /// Has the thread that drains the loop look for performed steps: the calling one, if this claims the loop.
    @inlinable
    func claimForPerformed() -> Bool {
        let isClaimed = inbox.withLock { inbox in
            raise(LoopSignal.performed)
            return inbox.claim()
        }
        if isClaimed { thread.store(currentThread(), ordering: .relaxed) }
        return isClaimed
    }

    /// Reduces events under the lock of the state, for later delivery; false when the loop stops.
    ///
    /// - Parameter begin: called first, with the lock held.
    @inlinable
    func apply(_ events: ContiguousArray<Event>, _ begin: () -> Void = {}) -> Bool {
        if !drainsHere { revokeBias() }
        return stateLock.reduceWithLock {
            begin()
            guard !has(LoopSignal.stop) else { return false }
            guard !events.isEmpty else { return true }
            guard !stateLock.isParked.load(ordering: .relaxed) else {
                // Parked, the loop or its successor takes them as if they were emitted.
                inbox.withLock { inbox in
                    if isBounded { inbox.room.incoming += events.count }
                    _ = inbox.add(.events(events))
                    raise(LoopSignal.mail)
                }
                return true
            }
            let steps = performed ?? PerformedSteps(after: state)
            performed = steps
            for event in events {
                switch steps.perform(event, by: spin.reducer, on: isObserved ? plan.clock : nil) {
                case .newState: tally.steps.count()
                case .unhandled: tally.unhandled.count()
                case .failed: tally.faults.count()
                case .behind: break
                }
            }
            return true
        }
    }

    // MARK: - The draining thread

    /// Delivers on the calling thread, which has claimed the loop: `first`, then performed steps. The executor does the rest.
    @inlinable
    func deliverHere(_ first: () -> Void) {
        LoopScope.bind(core: self, executor: .caller) {
            first()
            var slice = LoopSlice(at: plan.executor.isCaller ? nil : plan.clock.now)
            while signals.load(ordering: .acquiring) & ~(LoopSignal.performed | LoopSignal.bounded) == 0,
                queue.isEmpty
            {
                if has(LoopSignal.performed) {
                    deliverPerformed()
                    if mustYield(&slice) { return yieldAndWake() }
                } else if rest() {
                    return
                }
            }
            if plan.executor.isCaller { plan.drain(self) } else { yieldAndWake() }
        }
    }

    /// Delivers the next performed step; takes the signal back when there is none.
    @inlinable
    func deliverPerformed() {
        guard let performed = takePerformed() else {
            inbox.withLock { _ in lower(LoopSignal.performed) }
            if stateLock.withLock({ self.performed != nil }) {
                inbox.withLock { _ in raise(LoopSignal.performed) }
            }
            return
        }
        isQuiescent = false
        switch performed.reduction {
        case .newState:
            deliver(performed.event, stateBox, until: spin.until, through: slots) {
                guard isObserved, let before = performed.state else { return }
                notifyStep(performed.event, from: .performed, before: before, performed.duration)
            }
        case .unhandled:
            if isObserved { notify { $0.unhandled(performed.event, from: .performed) } }
        case .failed(let error): notifyFault(.reducer, error)
        case .behind: break
        }
    }

    @inlinable
    func takePerformed() -> PerformedSteps<State, Event>.Step? {
        let (step, emptied) = stateLock.withLock {
            () -> (PerformedSteps<State, Event>.Step?, PerformedSteps<State, Event>?) in
            guard let steps = performed else { return (nil, nil) }
            let step = steps.takeFirst(delivered: &stateBox.value)
            guard steps.isEmpty else { return (step, nil) }
            performed = nil
            return (step, steps)
        }
        withExtendedLifetime(emptied) {}
        return step
    }

    /// Makes the state after all performed steps the last one, when the loop stops.
    func dropPerformed() {
        let dropped = stateLock.withLock { () -> (State, PerformedSteps<State, Event>)? in
            guard let steps = performed else { return nil }
            defer { (performed, state) = (nil, steps.state) }
            return (state, steps)
        }
        withExtendedLifetime(dropped) {}
    }

    /// Puts an event back that was taken while performed steps wait: they go first, and may withdraw it.
    @usableFromInline
    func requeue(_ taken: EventQueue<Event>.Taken) {
        let position = queue.requeue(taken)
        if taken.next >= 0, taken.feedback >= 0 {
            let slot = slot(at: taken.feedback)
            if slot.policy.withdraws {
                if slot.first == 0 { slot.last = position }
                slot.first = position
            }
        }
        inbox.withLock { _ in raise(LoopSignal.performed) }
    }
}
