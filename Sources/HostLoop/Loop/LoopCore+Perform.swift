public import Synchronization

/// Performed events: the calling thread reduces them, and delivers them unless another thread delivers.
extension LoopCore {
    @usableFromInline
    func refuseInReducer() {
        precondition(
            !isReducingHere,
            "a reducer performed an event of its own loop; it may emit, or answer the whole change at once")
    }

    /// Performs one event: in place, when the loop is idle and no observer needs the state before.
    @inlinable
    func perform(_ event: Event) -> EmitResult {
        refuseInReducer()
        guard !elaboration.load(ordering: .relaxed), inbox.withLock({ $0.claim() }) else {
            return performAhead([event])
        }
        thread.store(currentThread(), ordering: .relaxed)
        let reduction = reduce(event, with: spin.reducer.body)
        if case .behind = reduction, apply([event]) { inbox.withLock { _ in raise(LoopSignal.performed) } }
        deliverHere { deliverReduction(reduction, of: event) }
        return .queued
    }

    /// Reduces an event that was emitted into the idle loop, and drains the loop. The calling thread has
    /// claimed the loop.
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

    /// Delivers the result of the reducer, in a loop whose steps are not observed.
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

    /// Performs events before earlier steps are delivered, and arranges their delivery.
    @inlinable
    func performAhead(_ events: ContiguousArray<Event>) -> EmitResult {
        refuseInReducer()
        var isClaimed = claimForPerformed()
        let isApplied = apply(events) {
            // Another thread may have released the loop since the first claim. From here on none does, so an
            // event that the reducer emits cannot claim the loop.
            if claimForPerformed() { isClaimed = true }
        }
        if isClaimed { deliverHere {} }
        guard !isApplied else { return .queued }
        // The successor gets them as emitted events.
        var result = EmitResult.stopped
        for event in events { result = refuse(event) }
        return result
    }

    /// Adds events to the inbox of a parked loop; false when the loop stops.
    @usableFromInline
    func addPerformed(_ events: ContiguousArray<Event>) -> Bool {
        inbox.withLock { inbox in
            guard inbox.stopReason == nil else { return false }
            for event in events {
                if isBounded { inbox.room.incoming += 1 }
                _ = inbox.add(.event(event))
            }
            raise(LoopSignal.mail)
            return true
        }
    }

    /// Delivers the applied steps, unless another thread or an outer frame is delivering.
    @inlinable
    func deliverApplied() {
        if claimForPerformed() { deliverHere {} }
    }

    /// Makes the draining thread look for performed steps. If this claims the loop, that is the calling
    /// thread.
    @inlinable
    func claimForPerformed() -> Bool {
        let isClaimed = inbox.withLock { inbox in
            raise(LoopSignal.performed)
            return inbox.claim()
        }
        if isClaimed { thread.store(currentThread(), ordering: .relaxed) }
        return isClaimed
    }

    /// Reduces events under the lock of the state, for later delivery. Returns false when the loop stops.
    ///
    /// - Parameter begin: Called first, with the lock held.
    @inlinable
    func apply(_ events: ContiguousArray<Event>, _ begin: () -> Void = {}) -> Bool {
        if !drainsHere { revokeBias() }
        return stateLock.reduceWithLock {
            begin()
            guard !has(LoopSignal.stop) else { return false }
            guard !events.isEmpty else { return true }
            guard !stateLock.isParked.load(ordering: .relaxed) else {
                // The loop is parked: it, or its successor, gets them as emitted events.
                return addPerformed(events)
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

    /// Delivers on the calling thread, which has claimed the loop: `first`, then performed steps. The
    /// executor does the rest.
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

    /// Delivers the next step that is recorded or performed. Without one, it clears the signal.
    @inlinable
    func deliverPerformed() {
        if extras != nil, deliverRecorded() { return }
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
            if isObserved { notifyWatching { $0.unhandled(performed.event, from: .performed) } }
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

    /// Makes the state after all performed steps the final one, when the loop stops.
    func dropPerformed() {
        let dropped = stateLock.withLock { () -> (State, PerformedSteps<State, Event>)? in
            guard let steps = performed else { return nil }
            defer { (performed, state) = (nil, steps.state) }
            return (state, steps)
        }
        withExtendedLifetime(dropped) {}
    }

    /// Puts the event that was taken back into the queue: performed steps wait. They must be delivered first,
    /// and may withdraw the event.
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
