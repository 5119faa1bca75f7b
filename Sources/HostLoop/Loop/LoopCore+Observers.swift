import Synchronization

/// What observers are told, and the end.
extension LoopCore {
    @usableFromInline
    func run(_ number: UInt64, of feedback: Int32) -> EffectRun {
        plan.run(number, ofFeedbackAt: feedback)
    }

    @usableFromInline
    func tell(_ what: (any LoopObserver<State, Event>) -> Void) {
        for observer in observers { what(observer) }
    }

    /// Tells of runs: only when somebody sees steps.
    @usableFromInline
    func tellOfRun(
        _ number: UInt64, of slot: RunSlot<Event>,
        _ what: (any LoopObserver<State, Event>, EffectRun) -> Void
    ) {
        guard isObserved else { return }
        let effectRun = run(number, of: slot.index)
        for observer in observers { what(observer, effectRun) }
    }

    /// Counts a failure and tells it.
    @usableFromInline
    func fault(_ source: LoopFault.Source, _ error: any Error) {
        let step = tally.withLock { counters in
            counters.faults += 1
            return counters.steps
        }
        tell { $0.faulted(LoopFault(source: source, step: step, error: error)) }
    }

    /// Ends the loop on the draining thread, after `stop` closed the ways in.
    @usableFromInline
    func close() {
        let queued = queue.discard()
        let (discarded, cancelled) = inbox.withLock { inbox in
            (inbox.discard(queued: queued), inbox.ledger.isEmpty ? [] : inbox.runs.takeCancelledByStop())
        }
        for key in cancelled where isObserved {
            tell { $0.effectCancelled(run(key.number, of: key.feedback)) }
        }
        if let reason = discarded.reason { tell { $0.stopped(reason) } }
        // The slots refer to this core, and what the feedbacks captured may refer to anything.
        first = nil
        observers = []
        notices = []
        spare = []
        thread.store(0, ordering: .relaxed)
        let ends = inbox.withLock { inbox in
            inbox.phase = .closed
            return inbox.takeEnds()
        }
        for end in ends { end() }
    }
}
