import Synchronization

/// How a loop rests, and another one takes its place.
extension LoopCore {
    /// Has the loop rest once the step at hand is done.
    func park(_ told: @escaping @Sendable (Bool) -> Void) {
        guard !has(LoopSignal.stop) else { return told(false) }
        obtainAnnex().parking = told
    }

    /// Leaves the thread, if the loop is to rest.
    @usableFromInline
    func rests() -> Bool {
        guard let annex, let told = annex.parking else { return false }
        annex.parking = nil
        thread.store(0, ordering: .relaxed)
        told(true)
        return true
    }

    /// Goes on after a rest.
    func unpark() { wake() }

    /// Goes on where `old` rests; with one that was stopped, only what its feedbacks have run for. Nothing drains this loop yet.
    ///
    /// - Returns: cancels the effects with which nothing goes on.
    func takePlace(of old: LoopCore, _ succession: LoopSuccession<Event>) -> @Sendable () -> Void {
        makeSlots()
        let hasStopped = old.has(LoopSignal.stop)
        var heirs: [Int32: FeedbackSlot<State, Event>] = [:]
        for (before, own) in succession.feedbacks {
            let heir = slot(at: Int32(own))
            let its = hasStopped ? nil : old.slot(at: Int32(before))
            guard let ofKeys = inheritKeys(heir, from: its) else { continue }
            heirs[Int32(before)] = heir
            heirs.merge(ofKeys) { one, _ in one }
        }
        obtainAnnex().heirs = heirs
        tally.inherit(old.tally)
        guard !hasStopped else {
            inheritCounts(of: old)
            return {}
        }
        old.giveUp { heirs[$0.index] == nil }
        for (index, heir) in heirs { heir.inherit(old.slot(at: index), in: state) }
        let successor = LoopSuccessor(self, slots: heirs, event: succession.event)
        let places = heirs.mapValues(\.index)
        // Who speaks of a run meanwhile finds its record in one of both.
        let left = old.inbox.withLock { left -> Inbox<Event>.Estate? in
            guard let (estate, records) = left.leave(to: successor, of: places) else { return nil }
            old.raise(LoopSignal.stop)
            self.inbox.withLock { $0.inherit(records, from: left) }
            return estate
        }
        guard let left else {
            waiting = 0
            inheritCounts(of: old)
            return {}
        }
        inherit(left, of: old, heirs, succession)
        for waiter in left.waiters { waiter.resume() }
        old.release()
        return { for handler in left.handlers { handler() } }
    }

    /// Goes on counting where a loop that had stopped came to.
    private func inheritCounts(of old: LoopCore) {
        old.inbox.withLock { before in inbox.withLock { $0.inherit([:], from: before) } }
    }

    /// Ends feedbacks with which nothing goes on, but for cancelling their effects: what they emitted is withdrawn as by their strategies.
    private func giveUp(_ isGivenUp: (FeedbackSlot<State, Event>) -> Bool) {
        func giveUp(_ slot: FeedbackSlot<State, Event>) {
            slot.lasts = false
            slot.change = .none
            slot.endedThrough.store(slot.number, ordering: .releasing)
            if slot.first != 0 { withdraw(slot) }
            if isBounded { cancelWaiting(slot) }
        }
        forEachSlot { if isGivenUp($0) { giveUp($0) } }
        for slot in annex?.keyed ?? [] where isGivenUp(slot) { giveUp(slot) }
    }

    /// Queues what waited.
    private func inherit(
        _ left: Inbox<Event>.Estate, of old: LoopCore, _ heirs: [Int32: FeedbackSlot<State, Event>],
        _ succession: LoopSuccession<Event>
    ) {
        var (discarded, withdrawn): (UInt64, UInt64) = (0, 0)
        var visits: [@Sendable () -> Void] = []
        func append(_ event: Event, _ slot: RunSlot<Event>?, _ number: UInt64) {
            guard let event = succession.event(event) else { return discarded += 1 }
            let position = queue.append(event, feedback: slot?.index ?? -1, run: number)
            if let slot, number > slot.endedThrough.load(ordering: .relaxed) {
                slot.note(position, in: &queue)
            }
        }
        while let taken = old.queue.take() {
            append(taken.event, taken.feedback < 0 ? nil : heirs[taken.feedback], taken.run)
        }
        for item in old.notices + left.items {
            switch item {
            case .event(let event): append(event, nil, 0)
            case .events(let events): for event in events { append(event, nil, 0) }
            case .emission(let event, let rest, let slot, let number):
                let heir = heirs[slot.index]
                if slot.policy.withdraws, number <= slot.endedThrough.load(ordering: .relaxed) {
                    withdrawn += 1 + UInt64(rest?.count ?? 0)
                } else {
                    for event in [event] + (rest ?? []) { append(event, heir, number) }
                }
            case .finished(let slot, let number, let error):
                guard let heir = heirs[slot.index] else { continue }
                notices.append(.finished(heir, number: number, error: error))
            case .returned(let slot, let number, let outcome):
                guard let heir = heirs[slot.index] else { continue }
                notices.append(.returned(heir, number: number, outcome))
            case .resumed(let slot, let number, let body):
                guard let heir = heirs[slot.index] else {
                    // Nobody makes the call that was to end the run.
                    old.finish(slot, number, error: nil)
                    continue
                }
                notices.append(.resumed(heir, number: number, slot.asBefore(body)))
            case .visit(let visit): visits.append(visit)
            case .dropped, .overflowed: break
            }
        }
        old.notices = []
        inbox.withLock { inbox in
            inbox.runs.discarded += discarded
            inbox.runs.withdrawn += withdrawn
            if !notices.isEmpty { raise(LoopSignal.notices) }
        }
        for visit in visits { visit() }
    }

    /// Shows everyone the initial state, if the loop goes on where another one was.
    @usableFromInline
    func goesOn() -> Bool {
        guard let heirs = annex?.heirs else { return false }
        annex?.heirs = nil
        let state = state
        tell { $0.started(state) }
        let going = Set(heirs.values.map(\.index))
        forEachSlot { slot in
            // Those know what they were asked for.
            let knows = slot.policy.trigger == .change || slot.policy.trigger == .each
            guard going.contains(slot.index), !knows else {
                _ = end(slot, for: held, nil)
                return
            }
            // A run that holds still is not a new one.
            slot.change = decide(slot, held, nil) == .none ? .none : .same
            if slot.change == .none, slot.policy.endsOnNone { end(slot) }
        }
        if let first { startRest(first, for: held, nil) }
        check(plan.until, held)
        return true
    }

    func forEachSlot(_ body: (FeedbackSlot<State, Event>) -> Void) {
        var next = first
        while let slot = next {
            body(slot)
            next = slot.next
        }
    }
}
