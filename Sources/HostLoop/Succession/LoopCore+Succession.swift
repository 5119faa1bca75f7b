import Synchronization

/// Parks a loop, and lets another loop continue it.
extension LoopCore {
    /// Parks the loop once the current step is done.
    func park(_ parked: @escaping @Sendable (Bool) -> Void) {
        guard !has(LoopSignal.stop) else { return parked(false) }
        let extras = obtainExtras()
        let earlier = extras.parking
        extras.parking = { isParked in
            earlier?(isParked)
            parked(isParked)
        }
    }

    /// Parks the loop and releases the thread, if that was asked for. Returns whether the loop is parked now.
    @usableFromInline
    func parkIfAsked() -> Bool {
        guard let extras, let parked = extras.parking else { return false }
        // Events that are performed from now on wait in the inbox. The loop must first deliver the steps that
        // were performed before.
        let isDelivered = stateLock.withLock {
            stateLock.park()
            return performed == nil && extras.recorded.isEmpty
        }
        guard isDelivered else {
            inbox.withLock { _ in raise(LoopSignal.notices | LoopSignal.performed) }
            return false
        }
        recordUnrecorded()
        extras.parking = nil
        thread.store(0, ordering: .relaxed)
        parked(true)
        return true
    }

    /// Resumes a parked loop.
    func unpark() {
        stateLock.withLock { stateLock.unpark() }
        wake()
    }

    /// Continues `old`, which is parked, or whose executor is held. If `old` has stopped, this continues only the
    /// requests that its feedbacks have run for. No thread drains this loop yet.
    ///
    /// - Returns: A function that cancels the effects that this loop does not continue.
    func takePlace(of old: LoopCore, _ succession: LoopSuccession<Event>) -> @Sendable () -> Void {
        makeSlots()
        let hasStopped = old.has(LoopSignal.stop)
        var continuing: [Int32: Slot] = [:]
        for (before, own) in succession.feedbacks {
            let own = slot(at: Int32(own))
            let predecessor = hasStopped ? nil : old.slot(at: Int32(before))
            guard let ofKeys = inheritKeys(own, from: predecessor) else { continue }
            continuing[Int32(before)] = own
            continuing.merge(ofKeys) { one, _ in one }
        }
        obtainExtras().continuing = continuing
        tally.inherit(old.tally)
        guard !hasStopped else {
            inheritCounts(of: old)
            return {}
        }
        // The successor must get no row of a run whose call has ended it.
        if old.has(LoopSignal.callingRows) { old.removeCallingRows() }
        let abandoned = old.abandon { continuing[$0.index] == nil }
        for (index, own) in continuing { own.inherit(old.slot(at: index), in: state) }
        let successor = LoopSuccessor(self, slots: continuing, event: succession.event)
        let indices = continuing.mapValues(\.index)
        // A thread that uses a run meanwhile finds its row in exactly one of the two inboxes.
        let handover = old.inbox.withLock { before -> Inbox<Event>.Handover? in
            guard let handover = before.handOver(to: successor, of: indices) else { return nil }
            for slot in abandoned { slot.endedThrough.store(slot.number, ordering: .releasing) }
            old.raise(LoopSignal.stop)
            self.inbox.withLock { $0.inherit(handover.rows, from: before) }
            return handover
        }
        guard let handover else {
            waiting = 0
            inheritCounts(of: old)
            return {}
        }
        inherit(handover, of: old, continuing, succession)
        if spin.journal != nil { inheritEnds(of: old, succession.feedbacks) }
        for waiter in handover.waiters { waiter.answer() }
        for watcher in handover.watchers { watcher() }
        old.release()
        return { for handler in handover.handlers { handler() } }
    }

    /// Records the ends of runs, whose events wait here now, once this loop has taken these events.
    private func inheritEnds(of old: LoopCore, _ feedbacks: [Int: Int]) {
        while let end = old.extras?.ends.popFirst(before: .max) {
            guard let own = feedbacks[Int(end.feedback)] else { continue }
            obtainExtras().ends.append(
                JournaledEnds.End(position: queue.tail, feedback: Int32(own), run: end.run))
        }
    }

    /// Whether a feedback has seen a state: the loop has begun, or continues another one where it has.
    func hasSeenState(_ feedback: Int32) -> Bool {
        hasBegun || extras?.continuing?.values.contains { $0.index == feedback } == true
    }

    /// Adds the counts of a loop that has stopped.
    private func inheritCounts(of old: LoopCore) {
        old.inbox.withLock { before in inbox.withLock { $0.inherit([:], from: before) } }
    }

    /// Gives up the feedbacks that the successor does not continue, and returns them. It withdraws their emissions as
    /// their strategies say. Their runs end with the handover, in one step with their handlers.
    private func abandon(_ isAbandoned: (Slot) -> Bool) -> [Slot] {
        var abandoned: [Slot] = []
        func abandon(_ slot: Slot) {
            guard isAbandoned(slot) else { return }
            slot.hasRun = false
            slot.change = .none
            if slot.first != 0 { withdraw(slot) }
            if isBounded { cancelWaiting(slot) }
            abandoned.append(slot)
        }
        slots.forEach(abandon)
        extras?.keyed.forEach(abandon)
        return abandoned
    }

    /// Queues the events that wait in the old loop, and its notices.
    private func inherit(
        _ handover: Inbox<Event>.Handover, of old: LoopCore, _ continuing: [Int32: Slot],
        _ succession: LoopSuccession<Event>
    ) {
        var (discarded, withdrawn): (UInt64, UInt64) = (0, 0)
        var callbacks: [@Sendable () -> Void] = []
        // The entry that is being written, or 0.
        var entry = 0
        func append(_ event: Event, _ slot: RunSlot<Event>?, _ number: UInt64, continuesEntry: Bool = false) {
            guard let event = succession.event(event) else { return discarded += 1 }
            if continuesEntry, entry != 0 { return queue.extend(entry, with: event) }
            entry = queue.append(event, feedback: slot?.index ?? -1, run: number)
            if let slot, !slot.hasEnded(number) { slot.link(entry, in: &queue) }
        }
        while let taken = old.queue.take() {
            let slot = taken.feedback < 0 ? nil : continuing[taken.feedback]
            if taken.next >= 0 { entry = 0 }
            append(taken.event, slot, taken.run, continuesEntry: taken.next < 0 && slot != nil)
        }
        for item in old.notices + handover.items {
            switch item {
            case .event(let event): append(event, nil, 0)
            case .events(let events): for event in events { append(event, nil, 0) }
            case .emission(let event, let rest, let slot, let number):
                let own = continuing[slot.index]
                if slot.policy.withdraws, slot.hasEnded(number) {
                    withdrawn += 1 + UInt64(rest?.count ?? 0)
                } else {
                    entry = 0
                    for event in [event] + (rest ?? []) {
                        append(event, own, number, continuesEntry: own != nil)
                    }
                }
            case .finished(let slot, let number, let error):
                guard let own = continuing[slot.index] else { continue }
                notices.append(.finished(own, number: number, error: error))
            case .returned(let slot, let number, let outcome):
                guard let own = continuing[slot.index] else { continue }
                notices.append(.returned(own, number: number, outcome))
            case .resumed(let slot, let number, let body):
                guard let own = continuing[slot.index] else {
                    // The loop does not make the call that would end the run, so the run ends here.
                    old.finish(slot, number, error: nil)
                    continue
                }
                notices.append(.resumed(own, number: number, body))
            case .callback(let body): callbacks.append(body)
            case .dropped, .overflowed: break
            }
        }
        old.notices = []
        inbox.withLock { inbox in
            if discarded > 0 { inbox.rarities.discarded += discarded }
            if withdrawn > 0 { inbox.rarities.withdrawn += withdrawn }
            if !notices.isEmpty { raise(LoopSignal.notices) }
        }
        for body in callbacks { body() }
    }

    /// Gives the initial state to observers and feedbacks, if the loop continues another. Returns whether it
    /// does.
    @usableFromInline
    func beginAsSuccessor() -> Bool {
        guard let continuing = extras?.continuing else { return false }
        extras?.continuing = nil
        let state = state
        notify { $0.started(state) }
        let continued = Set(continuing.values.map(\.index))
        slots.forEach { slot in
            // Feedbacks with one of these triggers remember their requests.
            let knows = slot.policy.trigger == .change || slot.policy.trigger == .each
            guard continued.contains(slot.index), !knows else {
                _ = end(slot, for: stateBox, nil)
                return
            }
            // A run that continues is not a new run.
            slot.change = decide(slot, stateBox, nil) == .none ? .none : .same
            if slot.change == .none, slot.policy.endsOnNone { end(slot) }
        }
        slots.forEach { start($0, for: stateBox, nil) }
        followUp(spin.until, stateBox)
        releaseUnusedExtras()
        return true
    }
}

extension FeedbackSlot {
    /// Continues the runs of a slot in the previous loop. No thread may drain either loop meanwhile.
    func inherit(_ old: FeedbackSlot, in state: State) {
        if let kept, let before = old.kept { kept.inherit(before) }
        (hasRun, unfinished, number) = (old.hasRun, old.unfinished, old.number)
        endedThrough.store(old.endedThrough.load(ordering: .relaxed), ordering: .relaxed)
        guard let before = old.calls else { return }
        let calls = calls ?? CallQueue(executor: nil, detached: nil, receive: nil)
        self.calls = calls
        calls.executing = before.executing
        calls.resumptions = before.resumptions
        while let call = before.waiting.popFirst() {
            let effect = call.effect ?? { try old.effect($0, $1, $2) }
            calls.waiting.append(
                CallQueue.Call(
                    kind: call.kind, state: state, event: nil,
                    effect: { _, _, run in
                        try effect(call.state, call.event, Run(target: old, number: run.number))
                    }, number: call.number))
            door.waiting += 1
        }
        before.resumptions = []
    }
}
