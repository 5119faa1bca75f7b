public import Synchronization

/// One event, one reduction, one new state; per new state observers, then endings, then starts.
extension LoopCore {
    @inlinable @inline(__always)
    func step(
        _ taken: consuming EventQueue<Event>.Taken, reducing body: Reducer<State, Event>.Body,
        until: SpinPlan<State, Event>.Until?, reclaiming reclaim: SpinPlan<State, Event>.Reclaim?,
        to first: FeedbackSlot<State, Event>?
    ) {
        guard !isObserved else {
            if observedStep(taken, reducing: body, to: first) { reclaim?((consume taken).event) }
            return
        }
        if isQuiescent { isQuiescent = false }
        switch reduce(taken.event, with: body) {
        case .newState:
            // Given away, the event is not counted once more.
            var event: Event? = (consume taken).event
            deliver(held, event, to: first)
            if hasFollowUp { followUp(until, held) }
            if reclaim != nil { reclaim!(event.take()!) }
        case .unhandled: reclaim?((consume taken).event)
        case .failed(let error):
            fault(.reducer, error)
            reclaim?((consume taken).event)
        case .behind: putBack(taken)
        }
    }

    /// Reduces on the draining thread, under the lock of the state.
    @inlinable @inline(__always)
    func reduce(_ event: Event, with body: Reducer<State, Event>.Body) -> Reduction {
        guard stateLock.takeByBias() else { return reduceWithoutBias(event, with: body) }
        defer { stateLock.leaveByBias() }
        return reduceLocked(event, with: body)
    }

    @inlinable @inline(never)
    func reduceWithoutBias(_ event: Event, with body: Reducer<State, Event>.Body) -> Reduction {
        stateLock.reduceWithLock { reduceLocked(event, with: body) }
    }

    @inlinable @inline(__always)
    func reduceLocked(_ event: Event, with body: Reducer<State, Event>.Body) -> Reduction {
        guard performed == nil else { return .behind }
        do {
            guard try body(&held.value, event) else {
                tally.unhandled.count()
                return .unhandled
            }
            tally.steps.count()
            return .newState
        } catch {
            return .failed(error)
        }
    }

    /// A step that observers are told of: it costs a copy of the state before, and two looks at the clock.
    ///
    /// - Returns: false when the event was put back.
    @inlinable @inline(never)
    func observedStep(
        _ taken: EventQueue<Event>.Taken, reducing body: Reducer<State, Event>.Body,
        to first: FeedbackSlot<State, Event>?
    ) -> Bool {
        isQuiescent = false
        let origin =
            taken.feedback < 0
            ? EventOrigin.outside : .run(run(taken.run, of: slot(at: taken.feedback).feedback))
        let before = state
        let event = taken.event
        let began = plan.clock.now
        let reduction = reduce(event, with: body)
        let duration = began.duration(to: plan.clock.now)
        switch reduction {
        case .unhandled: tell { $0.unhandled(event, from: origin) }
        case .failed(let error): fault(.reducer, error)
        case .behind:
            putBack(taken)
            return false
        case .newState:
            let step = LoopStep(
                index: deliveredSteps, event: event, origin: origin, before: before, after: state,
                duration: duration)
            tell { $0.stepped(step) }
            deliver(held, event, to: first)
            followUp(plan.until, held)
        }
        return true
    }

    /// Gives the state to the feedbacks: first all endings, then all starts, each in the order of
    /// declaration.
    @inlinable @inline(__always)
    func deliver(
        _ held: borrowing HeldState<State>, _ event: Event?, to first: FeedbackSlot<State, Event>?
    ) {
        guard first != nil else { return }
        var starts = end(first!, for: held, event)
        if first!.next != nil { starts = endRest(first!.next!, for: held, event, starts) }
        guard starts else { return }
        start(first!, for: held, event)
        if first!.next != nil { startRest(first!.next!, for: held, event) }
    }

    /// Asks the feedback what the state means, and ends its run if that is to end; true when one is to start.
    @inlinable @inline(__always)
    func end(
        _ slot: FeedbackSlot<State, Event>, for held: borrowing HeldState<State>, _ event: Event?
    ) -> Bool {
        let change = decide(slot, held, event)
        slot.change = change
        switch change {
        case .new:
            if slot.policy.endsOnNew { end(slot) }
            return true
        case .none:
            if slot.policy.endsOnNone { end(slot) }
            return false
        case .same: return false
        }
    }

    /// The same for this slot and all after it; true also if one before it is to start.
    @inlinable @inline(never)
    func endRest(
        _ slot: FeedbackSlot<State, Event>, for held: borrowing HeldState<State>, _ event: Event?,
        _ startsOne: Bool
    ) -> Bool {
        let starts = end(slot, for: held, event) || startsOne
        return slot.next == nil ? starts : endRest(slot.next!, for: held, event, starts)
    }

    /// Starts a run if the state asks for one.
    @inlinable @inline(__always)
    func start(_ slot: FeedbackSlot<State, Event>, for held: borrowing HeldState<State>, _ event: Event?) {
        guard slot.change == .new, !has(LoopSignal.stop) else { return }
        if slot.lane == nil, slot.open == 0 || slot.policy.whenBusy == .overlap {
            call(slot, held.value, event)
        } else {
            queueCall(slot, event)
        }
    }

    /// The same for this slot and all after it.
    @inlinable @inline(never)
    func startRest(
        _ slot: FeedbackSlot<State, Event>, for held: borrowing HeldState<State>, _ event: Event?
    ) {
        start(slot, for: held, event)
        if slot.next != nil { startRest(slot.next!, for: held, event) }
    }

    @inlinable @inline(__always)
    func decide(
        _ slot: FeedbackSlot<State, Event>, _ held: borrowing HeldState<State>, _ event: Event?
    ) -> RequestChange {
        do {
            return try slot.decide(held.value, event)
        } catch {
            let name = plan.feedbacks[Int(slot.index)].name
            fault(.trigger(of: name, at: Int(slot.index)), error)
            return .none
        }
    }

    /// Cancels or replaces the feedback's run, and withdraws what it emitted and is not reduced.
    @inlinable @inline(__always)
    func end(_ slot: FeedbackSlot<State, Event>) {
        guard slot.lasts else { return }
        slot.lasts = false
        if has(LoopSignal.mail) { absorb() }
        slot.endedThrough.store(slot.number, ordering: .releasing)
        if slot.first != 0 { withdraw(slot) }
        if slot.open != 0 || slot.lane != nil { cancel(slot) }
    }

    @inlinable @inline(never)
    func withdraw(_ slot: FeedbackSlot<State, Event>) {
        var events: [Event] = []
        let weight = isBounded ? queue.weight(from: slot.first) : 0
        let count = queue.withdraw(from: slot.first) { event in
            if isObserved { events.append(event) }
        }
        // A place that no run of this step takes lapses.
        let earliest = slot.first
        slot.advance(to: 0)
        if slot.change == .new { slot.place = earliest }
        inbox.withLock { $0.runs.withdrawn += UInt64(count) }
        if weight > 0 { release(weight) }
        for event in events { tellOfRun(slot.number, of: slot) { $0.withdrawn(event, from: $1) } }
    }

    /// What comes after the feedbacks, for few loops: streams of states, and the end.
    @inlinable @inline(__always)
    func followUp(_ until: SpinPlan<State, Event>.Until?, _ held: borrowing HeldState<State>) {
        if annex != nil, !annex!.sinks.isEmpty { tellSinks() }
        check(until, held)
    }

    @usableFromInline
    func tellSinks() {
        for sink in annex?.sinks ?? [] { sink.continuation.yield(state) }
    }

    @inlinable @inline(__always)
    func check(_ until: SpinPlan<State, Event>.Until?, _ held: borrowing HeldState<State>) {
        guard until != nil else { return }
        do {
            if try until!(held.value) { stop(.until) }
        } catch {
            fault(.until, error)
        }
    }
}
