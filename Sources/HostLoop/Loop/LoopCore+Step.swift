public import Synchronization

/// One event, one reduction, one new state; per new state observers, then endings, then starts.
extension LoopCore {
    /// A step: reduce, observers, endings, starts.
    ///
    /// - Parameters:
    ///   - event: The event at hand; nil for the initial state.
    ///   - held: The state, changed by `reduce`.
    ///   - slots: The feedbacks in the order of declaration.
    ///   - observe: Tells observers of a new state, or of an unhandled event.
    ///   - reduce: Makes the new state.
    /// - Returns: false when the event was not reduced, as performed steps go first.
    @inlinable @inline(__always) @discardableResult
    func step(
        _ event: Event?, _ held: borrowing HeldState<State>, until: Plan.Until?,
        through slots: borrowing FeedbackChain<State, Event>, observe: (Reduction) -> Void = { _ in },
        _ reduce: () -> Reduction
    ) -> Bool {
        if isQuiescent { isQuiescent = false }
        let reduction = reduce()
        switch reduction {
        case .newState:
            observe(reduction)
            var starts = false
            slots.forEach { slot in
                if end(slot, for: held, event) { starts = true }
            }
            if starts {
                slots.forEach { slot in start(slot, for: held, event) }
            }
            if hasFollowUp { followUp(until, held) }
        case .unhandled: observe(reduction)
        case .failed(let error): notifyFault(.reducer, error)
        case .behind: return false
        }
        return true
    }

    // MARK: - Reduce

    /// Takes an event from the queue through a step.
    @inlinable @inline(__always)
    func take(
        _ taken: consuming EventQueue<Event>.Taken, reducing body: Body, until: Plan.Until?,
        reclaiming reclaim: Plan.Reclaim?, through slots: borrowing FeedbackChain<State, Event>
    ) {
        let (run, next, feedback) = (taken.run, taken.next, taken.feedback)
        if next >= 0, feedback >= 0 { advance(slots, feedback, to: next) }
        guard !isObserved else {
            takeObserved(taken, reducing: body, until: until, reclaiming: reclaim, through: slots)
            return
        }
        // Given away, the event is not counted once more.
        var event: Event? = (consume taken).event
        if step(event, held, until: until, through: slots, { reduce(event!, with: body) }) {
            if reclaim != nil { reclaim!(event.take()!) }
        } else {
            putBack(EventQueue.Taken(event: event.take()!, feedback: feedback, run: run, next: next))
        }
    }

    /// The run that the event at hand is from has `next` as its first entry.
    @inlinable @inline(__always)
    func advance(_ slots: borrowing FeedbackChain<State, Event>, _ feedback: Int32, to next: Int) {
        if slots.first!.index == feedback {
            if slots.first!.policy.withdraws { slots.first!.advance(to: next) }
        } else {
            advanceLater(feedback, to: next)
        }
    }

    @inlinable @inline(never)
    func advanceLater(_ feedback: Int32, to next: Int) {
        let slot = slot(at: feedback)
        if slot.policy.withdraws { slot.advance(to: next) }
    }

    /// Reduces on the draining thread, under the lock of the state.
    @inlinable @inline(__always)
    func reduce(_ event: Event, with body: Body) -> Reduction {
        guard stateLock.takeByBias() else { return reduceWithoutBias(event, with: body) }
        defer { stateLock.leaveByBias() }
        return reduceLocked(event, with: body)
    }

    @inlinable @inline(never)
    func reduceWithoutBias(_ event: Event, with body: Body) -> Reduction {
        stateLock.reduceWithLock { reduceLocked(event, with: body) }
    }

    @inlinable @inline(__always)
    func reduceLocked(_ event: Event, with body: Body) -> Reduction {
        guard performed == nil else { return .behind }
        do {
            guard try body(&held.value, event) else {
                tally.unhandled.count()
                return .unhandled
            }
            tally.steps.count()
            return .newState
        } catch {
            tally.faults.count()
            return .failed(error)
        }
    }

    // MARK: - Observers

    /// Takes an event through a step that observers see: it costs a copy of the state before, and two looks at the clock.
    @inlinable @inline(never)
    func takeObserved(
        _ taken: EventQueue<Event>.Taken, reducing body: Body, until: Plan.Until?,
        reclaiming reclaim: Plan.Reclaim?, through slots: borrowing FeedbackChain<State, Event>
    ) {
        let origin =
            taken.feedback < 0
            ? EventOrigin.outside
            : .run(spin.run(taken.run, ofFeedbackAt: slot(at: taken.feedback).feedback))
        let (event, before, began) = (taken.event, state, plan.clock.now)
        var duration = Duration.zero
        let isTaken = step(
            event, held, until: until, through: slots,
            observe: { notifyStep($0, event, from: origin, before: before, duration) },
            {
                let reduction = reduce(event, with: body)
                duration = began.duration(to: plan.clock.now)
                return reduction
            })
        if isTaken { reclaim?(taken.event) } else { putBack(taken) }
    }

    @usableFromInline
    func notifyStep(
        _ reduction: Reduction, _ event: Event, from origin: EventOrigin, before: State, _ duration: Duration
    ) {
        guard case .newState = reduction else { return notify { $0.unhandled(event, from: origin) } }
        let step = LoopStep(
            index: deliveredSteps, event: event, origin: origin, before: before, after: state,
            duration: duration)
        notify { $0.stepped(step) }
    }

    // MARK: - Endings

    /// Asks the feedback what the state means, and ends its run if that must end; true when a run must start.
    @inlinable @inline(__always)
    func end(
        _ slot: Slot, for held: borrowing HeldState<State>, _ event: Event?
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

    @inlinable @inline(__always)
    func decide(
        _ slot: Slot, _ held: borrowing HeldState<State>, _ event: Event?
    ) -> RequestChange {
        do {
            return try slot.decide(held.value, event)
        } catch {
            let name = spin.feedbacks[Int(slot.index)].name
            fault(.trigger(of: name, at: Int(slot.index)), error)
            return .none
        }
    }

    /// Cancels or replaces the feedback's run, and withdraws its emissions that are not reduced.
    @inlinable @inline(__always)
    func end(_ slot: Slot) {
        guard slot.hasRun else { return }
        slot.hasRun = false
        if has(LoopSignal.mail) { absorb() }
        slot.endedThrough.store(slot.number, ordering: .releasing)
        if slot.first != 0 { withdraw(slot) }
        if slot.unfinished != 0 || slot.calls != nil { cancel(slot) }
    }

    @inlinable @inline(never)
    func withdraw(_ slot: Slot) {
        var events: [Event] = []
        let weight = isBounded ? queue.weight(from: slot.first) : 0
        let count = queue.withdraw(from: slot.first) { event in
            if isObserved { events.append(event) }
        }
        // A place that no run of this step takes lapses.
        let earliest = slot.first
        slot.advance(to: 0)
        if slot.change == .new { slot.vacancy = earliest }
        inbox.withLock { $0.extras.withdrawn += UInt64(count) }
        if weight > 0 { release(weight) }
        for event in events { notifyOfRun(slot.number, of: slot) { $0.withdrawn(event, from: $1) } }
    }

    // MARK: - Starts

    /// Starts a run if the state asks for one.
    @inlinable @inline(__always)
    func start(_ slot: Slot, for held: borrowing HeldState<State>, _ event: Event?) {
        guard slot.change == .new, !has(LoopSignal.stop) else { return }
        if slot.calls == nil, slot.unfinished == 0 || slot.policy.whenBusy == .overlap {
            call(slot, held.value, event)
        } else {
            queueCall(slot, event)
        }
    }

    // MARK: - After the feedbacks

    /// Streams of states, and the condition that ends the loop; few loops have them.
    @inlinable @inline(__always)
    func followUp(_ until: Plan.Until?, _ held: borrowing HeldState<State>) {
        if extras != nil, !extras!.sinks.isEmpty { feedSinks() }
        guard until != nil else { return }
        do {
            if try until!(held.value) { stop(.until) }
        } catch {
            fault(.until, error)
        }
    }

    @usableFromInline
    func feedSinks() {
        for sink in extras?.sinks ?? [] { sink.continuation.yield(state) }
    }
}
