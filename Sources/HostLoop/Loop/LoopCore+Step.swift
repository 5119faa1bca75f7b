public import Synchronization

/// One event, one reduction, one new state; per new state observers, then endings, then starts.
extension LoopCore {
    /// Reduces an event from the queue, and delivers the new state.
    @inlinable @inline(__always)
    func step(
        _ taken: consuming EventQueue<Event>.Taken, reducing body: Body, until: Plan.Until?,
        reclaiming reclaim: Plan.Reclaim?, into journal: Plan.Journal?,
        through slots: borrowing FeedbackChain<State, Event>
    ) {
        if taken.next >= 0, taken.feedback >= 0 { advance(slots, taken.feedback, to: taken.next) }
        guard stepForm == .usual else {
            return otherStep(
                consume taken, reducing: body, until: until, reclaiming: reclaim, into: journal,
                through: slots)
        }
        step(
            consume taken, reducing: body, until: until, reclaiming: reclaim, into: journal, selecting: nil,
            through: slots)
    }

    @inlinable @inline(never)
    func otherStep(
        _ taken: consuming EventQueue<Event>.Taken, reducing body: Body, until: Plan.Until?,
        reclaiming reclaim: Plan.Reclaim?, into journal: Plan.Journal?,
        through slots: borrowing FeedbackChain<State, Event>
    ) {
        if isElaborate {
            elaborateStep(
                taken, reducing: body, until: until, reclaiming: reclaim, into: journal, through: slots)
        } else {
            step(
                consume taken, reducing: body, until: until, reclaiming: reclaim, into: journal,
                selecting: spin.selection, through: slots)
        }
    }

    /// - Parameter selection: The feedbacks that the step concerns; nil: all of them.
    @inlinable @inline(__always)
    func step(
        _ taken: consuming EventQueue<Event>.Taken, reducing body: Body, until: Plan.Until?,
        reclaiming reclaim: Plan.Reclaim?, into journal: Plan.Journal?,
        selecting selection: FeedbackSelection?, through slots: borrowing FeedbackChain<State, Event>
    ) {
        if isQuiescent { isQuiescent = false }
        switch reduce(taken.event, with: body) {
        case .newState:
            if journal != nil { record(taken, stateBox, in: journal!) }
            // Moved out, the event needs no further reference count.
            var event: Event? = (consume taken).event
            deliver(event, stateBox, until: until, selecting: selection, through: slots)
            if reclaim != nil { reclaim!(event.take()!) }
        case .unhandled:
            if journal != nil { record(.unhandled, taken, in: journal!) }
            reclaim?((consume taken).event)
        case .failed(let error):
            if journal != nil { record(.failed, taken, in: journal!) }
            notifyFault(.reducer, error)
            reclaim?((consume taken).event)
        case .behind: requeue(taken)
        }
    }

    /// Gives a new state to observers and feedbacks. All endings come before all starts.
    ///
    /// - Parameters:
    ///   - event: The event that caused the state; nil for the initial state.
    ///   - stateBox: The state.
    ///   - selection: The feedbacks that may answer for the state in another way than before; nil: all of them.
    ///   - slots: The feedbacks in the order of declaration.
    ///   - observe: Notifies observers of the step.
    @inlinable @inline(__always)
    func deliver(
        _ event: Event?, _ stateBox: borrowing StateBox<State>, until: Plan.Until?,
        selecting selection: FeedbackSelection? = nil, through slots: borrowing FeedbackChain<State, Event>,
        observe: () -> Void = {}
    ) {
        observe()
        if selection == nil {
            deliver(event, stateBox, through: slots)
        } else {
            deliver(event, stateBox, to: selection!.feedbacks, of: slots)
        }
        if hasFollowUp { followUp(until, stateBox) }
    }

    @inlinable @inline(__always)
    func deliver(
        _ event: Event?, _ stateBox: borrowing StateBox<State>,
        through slots: borrowing FeedbackChain<State, Event>
    ) {
        var starts = false
        slots.forEach { slot in
            if end(slot, for: stateBox, event) { starts = true }
        }
        if starts {
            slots.forEach { slot in start(slot, for: stateBox, event) }
        }
    }

    /// Gives a new state to some of the feedbacks.
    @inlinable @inline(never)
    func deliver(
        _ event: Event?, _ stateBox: borrowing StateBox<State>, to selected: [Int32],
        of slots: borrowing FeedbackChain<State, Event>
    ) {
        var starts = false
        for index in selected {
            if end(slots.table[Int(index)], for: stateBox, event) { starts = true }
        }
        guard starts else { return }
        for index in selected { start(slots.table[Int(index)], for: stateBox, event) }
    }

    // MARK: - Reduce

    /// Notes that `next` is now the first entry of the run that emitted the current event.
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
        guard stateLock.takeByBias(self) else { return reduceWithoutBias(event, with: body) }
        defer { stateLock.releaseByBias() }
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
            guard try body(&stateBox.value, event) else {
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

    /// A step that observers see, or that is durable first. It costs a copy of the state before, and two reads of
    /// the clock.
    @inlinable @inline(never)
    func elaborateStep(
        _ taken: EventQueue<Event>.Taken, reducing body: Body, until: Plan.Until?,
        reclaiming reclaim: Plan.Reclaim?, into journal: Plan.Journal?,
        through slots: borrowing FeedbackChain<State, Event>
    ) {
        if let journal, journal.makesStepsDurable {
            return stepTogether(taken, reducing: body, until: until, into: journal)
        }
        let origin =
            taken.feedback < 0
            ? EventOrigin.outside
            : .run(spin.run(taken.run, ofFeedbackAt: slot(at: taken.feedback).feedback))
        let (event, before, began) = (taken.event, state, plan.clock.now)
        isQuiescent = false
        let reduction = reduce(event, with: body)
        let duration = began.duration(to: plan.clock.now)
        if has(LoopSignal.revoking) { wakeRevoking() }
        switch reduction {
        case .newState:
            if let journal { record(taken, stateBox, in: journal) }
            deliver(event, stateBox, until: until, selecting: spin.selection, through: slots) {
                notifyStep(event, from: origin, before: before, duration)
            }
        case .unhandled:
            if let journal { record(.unhandled, taken, in: journal) }
            notifyWatching { $0.unhandled(event, from: origin) }
        case .failed(let error):
            if let journal { record(.failed, taken, in: journal) }
            notifyFault(.reducer, error)
        case .behind: return requeue(taken)
        }
        reclaim?(event)
    }

    @inlinable @inline(never)
    func notifyStep(
        _ event: Event, from origin: EventOrigin, before: State, _ duration: Duration
    ) {
        let step = LoopStep(
            index: deliveredSteps, event: event, origin: origin, before: before, after: state,
            duration: duration)
        notifyWatching { $0.stepped(step) }
    }

    // MARK: - Endings

    /// Asks the feedback for the meaning of the state, and ends its run if the policy says so. Returns
    /// whether a run must start.
    @inlinable @inline(__always)
    func end(
        _ slot: Slot, for stateBox: borrowing StateBox<State>, _ event: Event?
    ) -> Bool {
        let change = decide(slot, stateBox, event)
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
        _ slot: Slot, _ stateBox: borrowing StateBox<State>, _ event: Event?
    ) -> RequestChange {
        do {
            return try slot.decide(stateBox.value, event)
        } catch {
            let name = spin.feedbacks[Int(slot.index)].name
            fault(.trigger(of: name, at: Int(slot.index)), error)
            return .none
        }
    }

    /// Cancels or replaces the feedback's run, and withdraws its unreduced emissions.
    @inlinable @inline(__always)
    func end(_ slot: Slot) {
        guard slot.hasRun else { return }
        slot.hasRun = false
        if has(LoopSignal.mail) { moveInboxToQueue() }
        if slot.unfinished != 0 || slot.calls != nil { return cancel(slot) }
        slot.endedThrough.store(slot.number, ordering: .releasing)
        if slot.first != 0 { withdraw(slot) }
    }

    @inlinable @inline(never)
    func withdraw(_ slot: Slot) {
        var events: [Event] = []
        let weight = isBounded ? queue.weight(from: slot.first) : 0
        let count = queue.withdraw(from: slot.first) { event in
            if isObserved { events.append(event) }
            if let journal {
                journal.refused(
                    event, .withdrawn, feedback: slot.feedback, run: slot.number, endsEntry: true)
            }
        }
        journal?.ended(feedback: slot.feedback, run: slot.number, isCancelled: true)
        // The position is vacant for this step only, and only for the run that follows.
        let earliest = slot.first
        slot.advance(to: 0)
        if slot.change == .new { slot.vacancy = earliest }
        inbox.withLock { $0.rarities.withdrawn += UInt64(count) }
        if weight > 0 { release(weight) }
        for event in events { notifyOfRun(slot.number, of: slot) { $0.withdrawn(event, from: $1) } }
    }

    // MARK: - Starts

    /// Starts a run if the state asks for one.
    @inlinable @inline(__always)
    func start(_ slot: Slot, for stateBox: borrowing StateBox<State>, _ event: Event?) {
        guard slot.change == .new else { return }
        if has(LoopSignal.stop | LoopSignal.revoking), !mayStart() { return }
        if slot.calls == nil, slot.unfinished == 0 || slot.policy.whenBusy == .overlap {
            call(slot, stateBox.value, event)
        } else {
            queueCall(slot, event)
        }
    }

    /// Whether effects may start: not once the loop stops. A thread that waits for the reducer must not wait for effects.
    @inlinable @inline(never)
    func mayStart() -> Bool {
        if has(LoopSignal.revoking) { wakeRevoking() }
        return !has(LoopSignal.stop)
    }

    // MARK: - After the feedbacks

    /// Feeds the streams of states, and asks the condition that ends the loop. Few loops have either.
    @inlinable @inline(__always)
    func followUp(_ until: Plan.Until?, _ stateBox: borrowing StateBox<State>) {
        if extras != nil, !extras!.sinks.isEmpty { feedSinks() }
        guard until != nil else { return }
        do {
            if try until!(stateBox.value) { stop(.until) }
        } catch {
            fault(.until, error)
        }
    }

    @usableFromInline
    func feedSinks() {
        for sink in extras?.sinks ?? [] { sink.receive(state) }
    }
}
