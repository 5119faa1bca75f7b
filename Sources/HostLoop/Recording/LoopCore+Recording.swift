/// A step that is recorded, and that observers and feedbacks have not seen.
@usableFromInline
struct RecordedStep<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let event: Event
    @usableFromInline let origin: EventOrigin
    @usableFromInline let reduction: Reduction
    /// The new state; nil for an event that made none.
    @usableFromInline let state: State?
    /// The duration of the reducer; zero when no observer needs it.
    @usableFromInline let duration: Duration

    @inlinable
    init(
        event: Event, origin: EventOrigin, reduction: Reduction, state: State?, duration: Duration
    ) {
        (self.event, self.origin, self.reduction) = (event, origin, reduction)
        (self.state, self.duration) = (state, duration)
    }
}

/// Steps of a journal that makes them durable before anybody sees them.
///
/// To write to a disk takes much longer than a step. So events that wait are reduced one after the other, recorded
/// together, and delivered in order. A run's events that the next delivery may withdraw are not reduced ahead.
extension LoopCore {
    /// The greatest number of steps that are made durable together.
    @inlinable static var mostTogether: Int { 1024 }

    /// Reduces an event and events behind it, makes the steps durable, and leaves them to be delivered.
    @inlinable @inline(never)
    func stepTogether(
        _ first: EventQueue<Event>.Taken, reducing body: Body, until: Plan.Until?, into journal: Plan.Journal
    ) {
        let extras = obtainExtras()
        var (ahead, next) = (state, Optional(first))
        isQuiescent = false
        while let taken = next {
            let step = reduceAhead(taken, &ahead, body)
            recordEnds(before: queue.head)
            extras.recorded.append(step)
            let (feedback, ends) = (declared(taken.feedback), queue.isBetweenEntries)
            switch step.reduction {
            case .newState:
                journal.stepped(
                    taken.event, to: ahead, feedback: feedback, run: taken.run, endsEntry: ends,
                    answers: recordsCall(of: taken))
            case .failed:
                recordUnrecorded()
                journal.refused(taken.event, .failed, feedback: feedback, run: taken.run, endsEntry: ends)
            case .unhandled, .behind:
                recordUnrecorded()
                journal.refused(taken.event, .unhandled, feedback: feedback, run: taken.run, endsEntry: ends)
            }
            // The condition is asked again with the delivery, which also reports its errors.
            if step.state != nil, let until, (try? until(ahead)) == true { break }
            next = extras.recorded.count < Self.mostTogether ? takeAhead() : nil
        }
        if has(LoopSignal.revoking) { wakeRevoking() }
        journal.makeDurable()
        inbox.withLock { _ in raise(LoopSignal.performed) }
    }

    @inlinable
    func reduceAhead(
        _ taken: EventQueue<Event>.Taken, _ ahead: inout State, _ body: Body
    ) -> RecordedStep<State, Event> {
        let origin =
            taken.feedback < 0
            ? EventOrigin.outside
            : .run(spin.run(taken.run, ofFeedbackAt: slot(at: taken.feedback).feedback))
        let began = isObserved ? plan.clock.now : nil
        var reduction = Reduction.unhandled
        do {
            // Other threads read the state before, and must not hold up the reducer.
            if try body(&ahead, taken.event) { reduction = .newState }
        } catch {
            reduction = .failed(error)
        }
        var isNew = false
        if case .newState = reduction { isNew = true }
        return RecordedStep(
            event: taken.event, origin: origin, reduction: reduction, state: isNew ? ahead : nil,
            duration: began?.duration(to: plan.clock.now) ?? .zero)
    }

    /// Takes the next event if no delivery can withdraw it, and nothing else comes first.
    @inlinable
    func takeAhead() -> EventQueue<Event>.Taken? {
        if queue.isEmpty, has(LoopSignal.events) { moveInboxToQueue() }
        guard !has(~(LoopSignal.bounded | LoopSignal.events)), let feedback = queue.nextFeedback() else {
            return nil
        }
        guard feedback < 0 || !slot(at: feedback).policy.withdraws else { return nil }
        if has(LoopSignal.bounded) { releaseRoomOfNext() }
        return queue.take()
    }

    /// Delivers the next recorded step; false without one.
    @inlinable @inline(never)
    func deliverRecorded() -> Bool {
        guard let step = extras?.recorded.popFirst() else { return false }
        isQuiescent = false
        switch step.reduction {
        case .newState:
            let before = state
            become(step)
            deliver(step.event, stateBox, until: spin.until, through: slots) {
                guard isObserved else { return }
                let made = LoopStep(
                    index: deliveredSteps, event: step.event, origin: step.origin, before: before,
                    after: state, duration: step.duration)
                notifyWatching { $0.stepped(made) }
            }
            // A loop that stops may not have begun all that the state asks for.
            if !has(LoopSignal.stop) { journal?.delivered() }
        case .unhandled, .behind:
            tally.unhandled.count()
            if isObserved { notifyWatching { $0.unhandled(step.event, from: step.origin) } }
        case .failed(let error):
            tally.faults.count()
            notifyFault(.reducer, error)
        }
        spin.reclaim?(step.event)
        return true
    }

    /// Makes the state of a recorded step the state of the loop.
    @inlinable
    func become(_ step: RecordedStep<State, Event>) {
        guard let next = step.state else { return }
        stateLock.withLock {
            state = next
            tally.steps.count()
            spin.journal?.delivers(next)
        }
    }

    /// Makes the last recorded state the final one, when the loop stops. The journal knows that the feedbacks have
    /// not seen it.
    func dropRecorded() {
        while let step = extras?.recorded.popFirst() { become(step) }
    }
}
