public import Synchronization

/// What observers are told, and the end.
extension LoopCore {
    @inlinable
    func run(_ number: UInt64, of feedback: Int32) -> EffectRun {
        plan.run(number, ofFeedbackAt: feedback)
    }

    @inlinable var hasObservers: Bool { annex.map { !$0.observers.isEmpty } ?? false }

    /// Made where the types are known: else each call looks up the type of the list.
    @inlinable @inline(never)
    func tell(_ what: (any LoopObserver<State, Event>) -> Void) {
        guard let annex else { return }
        for observer in annex.observers { what(observer) }
    }

    func obtainAnnex() -> LoopAnnex<State, Event> {
        if annex == nil { annex = LoopAnnex(observers: []) }
        return annex!
    }

    /// Gives a stream the current state and every later one; may be called from any thread.
    func attach(_ sink: StateSink<State>) {
        let isLeft = visit { [self] in
            obtainAnnex().sinks.append(sink)
            hasFollowUp = true
            sink.continuation.yield(state)
        }
        guard !isLeft else { return }
        sink.continuation.yield(currentState)
        sink.continuation.finish()
    }

    /// Forgets a stream.
    func detach(_ sink: StateSink<State>) {
        _ = visit { [self] in
            annex?.sinks.removeAll { $0 === sink }
            hasFollowUp = plan.until != nil || !(annex?.sinks.isEmpty ?? true)
        }
    }

    /// Tells of runs: only when somebody sees steps.
    @inlinable
    func tellOfRun(
        _ number: UInt64, of slot: RunSlot<Event>,
        _ what: (any LoopObserver<State, Event>, EffectRun) -> Void
    ) {
        guard isObserved else { return }
        let effectRun = run(number, of: slot.feedback)
        tell { what($0, effectRun) }
    }

    /// Tells of an entry that a full mailbox dropped.
    @usableFromInline
    func tellOfOverflow(_ item: Inbox<Event>.Item) {
        switch item {
        case .event(let event): tell { $0.dropped(event, from: .outside) }
        case .events(let events): for event in events { tell { $0.dropped(event, from: .outside) } }
        case .emission(let event, let rest, let slot, let number):
            let origin = EventOrigin.run(run(number, of: slot.feedback))
            tell { $0.dropped(event, from: origin) }
            for event in rest ?? [] { tell { $0.dropped(event, from: origin) } }
        case .finished, .returned, .resumed, .visit, .dropped, .overflowed: break
        }
    }

    /// Counts a failure and tells it.
    @usableFromInline
    func fault(_ source: LoopFault.Source, _ error: any Error) {
        stateLock.withLock { tally.faults.count() }
        tellOfFault(source, error)
    }

    /// Tells a failure that is counted.
    @usableFromInline
    func tellOfFault(_ source: LoopFault.Source, _ error: any Error) {
        guard hasObservers else { return }
        let fault = LoopFault(source: source, step: deliveredSteps, error: error)
        tell { $0.faulted(fault) }
    }

    /// The number of the last step that observers and feedbacks have been given, or are being given.
    @inlinable
    var deliveredSteps: UInt64 {
        stateLock.withLock { tally.steps.load(ordering: .relaxed) - (performed?.newStates ?? 0) }
    }

    private func close(_ slot: FeedbackSlot<State, Event>) {
        resumeWaiting(slot)
        slot.lane?.close()
    }

    /// Ends the loop on the draining thread, after `stop` closed the ways in.
    @usableFromInline
    func close() {
        dropPerformed()
        let queued = queue.discard()
        let (discarded, cancelled) = inbox.withLock { inbox in
            (inbox.discard(queued: queued), inbox.annex.isEmpty ? [] : inbox.runs.takeCancelledByStop())
        }
        // What came before the stop is told, what it asks for is not done.
        for notice in notices + discarded.items { attend(to: notice) }
        for key in cancelled where isObserved {
            tell { $0.effectCancelled(run(key.number, of: key.feedback)) }
        }
        if let reason = discarded.reason { tell { $0.stopped(reason) } }
        release()
    }

    /// Ends a loop of which nothing is left to be done.
    func release() {
        annex?.parking?(false)
        for sink in annex?.sinks ?? [] { sink.continuation.finish() }
        // The slots refer to this core, and what the feedbacks captured may refer to anything.
        forEachSlot(close)
        for slot in annex?.keyed ?? [] { close(slot) }
        (first, annex) = (nil, nil)
        notices = []
        thread.store(0, ordering: .relaxed)
        let ends = inbox.withLock { inbox in
            inbox.phase = .closed
            return inbox.takeEnds()
        }
        for end in ends { end() }
    }
}
