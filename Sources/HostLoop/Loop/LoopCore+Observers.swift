public import Synchronization

/// Observers, streams of states, and the end.
extension LoopCore {
    @inlinable var hasObservers: Bool { extras.map { !$0.observers.isEmpty } ?? false }

    /// Compiled where the types are known: otherwise each call would look up the type of the list.
    @inlinable @inline(never)
    func notify(_ call: (any LoopObserver<State, Event>) -> Void) {
        guard let extras else { return }
        for observer in extras.observers { call(observer) }
    }

    /// Calls the observers that see steps. Compiled where the types are known, too.
    @inlinable @inline(never)
    func notifyWatching(_ call: (any LoopObserver<State, Event>) -> Void) {
        guard let extras else { return }
        for observer in extras.watching { call(observer) }
    }

    @usableFromInline
    func obtainExtras() -> LoopExtras<State, Event> {
        if extras == nil {
            // Other threads read the slots with the inbox's lock held.
            inbox.withLock { _ in extras = LoopExtras(observers: []) }
        }
        return extras!
    }

    /// Has an observer see the loop until nothing can happen in it by itself; nil ends that. On the draining thread,
    /// between two steps.
    @usableFromInline
    func visit(by visitor: (any LoopObserver<State, Event>)?) {
        let extras = obtainExtras()
        if let before = extras.visitor { extras.observers.removeAll { $0 === before } }
        if let visitor { extras.observers.append(visitor) }
        extras.visitor = visitor
        updateObservation()
        releaseUnusedExtras()
    }

    /// Releases the extras of a loop by key that it does not need. Such a loop is one of many.
    func releaseUnusedExtras() {
        guard owner != nil, extras?.isEmpty == true else { return }
        let last = inbox.withLock { _ in extras.take() }
        withExtendedLifetime(last) {}
    }

    /// Decides again whether an observer sees steps. On the draining thread, between two steps.
    func updateObservation() {
        let isObserved = extras.map { !$0.watching.isEmpty } ?? false
        observation.store(isObserved, ordering: .relaxed)
        stepForm = Self.stepForm(of: spin, isObserved: isObserved)
        elaboration.store(isElaborate, ordering: .relaxed)
    }

    /// Gives a stream the current state and every later one. Any thread may call this.
    func attach(_ sink: StateSink<State>) {
        let isAdded = betweenSteps { [self] in
            obtainExtras().sinks.append(sink)
            hasFollowUp = true
            sink.receive(state)
        }
        guard !isAdded else { return }
        sink.receive(currentState)
        sink.finish()
    }

    /// Removes a stream.
    func detach(_ sink: StateSink<State>) {
        _ = betweenSteps { [self] in
            extras?.sinks.removeAll { $0 === sink }
            hasFollowUp = spin.until != nil || !(extras?.sinks.isEmpty ?? true)
        }
    }

    /// Notifies observers of a run, if an observer sees steps.
    @inlinable
    func notifyOfRun(
        _ number: UInt64, of slot: RunSlot<Event>,
        _ call: (any LoopObserver<State, Event>, EffectRun) -> Void
    ) {
        guard isObserved else { return }
        let effectRun = spin.run(number, ofFeedbackAt: slot.feedback)
        notifyWatching { call($0, effectRun) }
    }

    /// Notifies observers of an entry that a full mailbox dropped.
    @usableFromInline
    func notifyOverflow(_ item: Inbox<Event>.Item) {
        switch item {
        case .event(let event): notifyWatching { $0.dropped(event, from: .outside) }
        case .events(let events): for event in events { notifyWatching { $0.dropped(event, from: .outside) } }
        case .emission(let event, let rest, let slot, let number):
            let origin = EventOrigin.run(spin.run(number, ofFeedbackAt: slot.feedback))
            notifyWatching { $0.dropped(event, from: origin) }
            for event in rest ?? [] { notifyWatching { $0.dropped(event, from: origin) } }
        case .finished, .returned, .resumed, .callback, .dropped, .overflowed: break
        }
    }

    /// Counts a failure and notifies observers.
    @usableFromInline
    func fault(_ source: LoopFault.Source, _ error: any Error) {
        stateLock.withLock { tally.faults.count() }
        notifyFault(source, error)
    }

    /// Notifies observers of a failure that is counted.
    @usableFromInline
    func notifyFault(_ source: LoopFault.Source, _ error: any Error) {
        guard hasObservers || owner != nil else { return }
        let fault = LoopFault(source: source, step: deliveredSteps, error: error)
        notify { $0.faulted(fault) }
        owner?.faulted(fault)
    }

    /// The number of the last step whose delivery has begun.
    @inlinable
    var deliveredSteps: UInt64 {
        stateLock.withLock { tally.steps.load(ordering: .relaxed) - (performed?.newStates ?? 0) }
    }

    private func close(_ slot: FeedbackSlot<State, Event>) {
        resumeWaiting(slot)
        slot.calls?.close()
    }

    /// Ends the loop on the draining thread, after `stop` has closed its door. A loop that another one continues may be
    /// scheduled still, and closes once more.
    @usableFromInline
    func close() {
        recordUnrecorded()
        dropPerformed()
        dropRecorded()
        let queued = queue.discard()
        var (discarded, cancelled) = inbox.withLock { inbox in
            (inbox.discard(queued: queued), inbox.takeCancelledByStop())
        }
        // Observers see the notices that came before the stop. The loop makes no call that these ask for.
        for notice in notices + discarded.items { handle(notice) }
        // What an event holds may tell its sender that it is released, which must come before the end.
        discarded.items = []
        for key in cancelled where isObserved {
            notifyWatching { $0.effectCancelled(spin.run(key.number, ofFeedbackAt: key.feedback)) }
        }
        if let reason = discarded.reason {
            notify { $0.stopped(reason) }
            owner?.stopped(reason)
        }
        owner = nil
        release()
    }

    /// Releases everything that the loop keeps.
    func release() {
        extras?.parking?(false)
        for sink in extras?.sinks ?? [] { sink.finish() }
        // The slots refer to this core, and values that the feedbacks captured may refer to anything.
        slots.forEach(close)
        for slot in extras?.keyed ?? [] { close(slot) }
        var (chain, last) = (FeedbackChain<State, Event>(), LoopExtras<State, Event>?.none)
        inbox.withLock { _ in
            swap(&chain, &slots)
            swap(&last, &extras)
        }
        chain.removeAll()
        withExtendedLifetime(last) {}
        notices = []
        thread.store(0, ordering: .relaxed)
        let endHandlers = inbox.withLock { inbox in
            inbox.phase = .closed
            return inbox.takeEndHandlers()
        }
        for handler in endHandlers { handler() }
    }
}
