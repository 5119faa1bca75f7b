public import Synchronization

/// How the runs of feedbacks start and come to their end.
extension LoopCore {
    /// Calls an effect on the loop's executor.
    @inlinable @inline(__always)
    func call(_ slot: FeedbackSlot<State, Event>, _ state: State, _ event: Event?) {
        call(slot, event) { run in try slot.effect(state, event, run) }
    }

    /// Calls what begins a run.
    @inlinable @inline(__always)
    func call(
        _ slot: FeedbackSlot<State, Event>, _ event: Event?, _ body: (Run<Event>) throws -> EffectStatus
    ) {
        let number = slot.number &+ 1
        slot.number = number
        slot.lasts = true
        if isObserved { tellOfRun(number, of: slot) { $0.effectStarted($1, by: event) } }
        beginCall(slot, number)
        var status = EffectStatus.finished
        var failure: (any Error)?
        do {
            status = try body(Run(target: slot, number: number))
        } catch {
            failure = recover(slot, Run(target: slot, number: number), error)
        }
        slot.place = 0
        open = 0
        if status == .finished, !isObserved, failure == nil, !hasEarly {
            endCall(slot)
        } else {
            conclude(slot, number, status, failure)
        }
    }

    /// The event that an error becomes is emitted as part of the call; answers the error if it becomes none.
    @usableFromInline
    func recover(_ slot: RunSlot<Event>, _ run: Run<Event>, _ error: any Error) -> (any Error)? {
        guard let event = caught(error, feedback: slot.feedback) else { return error }
        run.emit(event)
        return nil
    }

    /// Registers a run that goes on, and tells of one that does not.
    @inlinable @inline(never)
    func conclude(
        _ slot: FeedbackSlot<State, Event>, _ number: UInt64, _ status: EffectStatus, _ failure: (any Error)?
    ) {
        var outcome = RunLedger.Outcome.ended(error: failure)
        let leftover = inbox.withLock { inbox in
            if status == .pending {
                outcome = inbox.runs.register(
                    slot.key(number), isStopping: inbox.stopReason != nil,
                    onlyReceives: slot.policy.onlyReceives)
            } else if hasEarly {
                inbox.runs.dropEarly(slot.feedback)
            }
            return inbox.takeLeftover()
        }
        withExtendedLifetime(leftover) {}
        hasEarly = false
        endCall(slot)
        switch outcome {
        case .goesOn: slot.open += 1
        case .ended(let error):
            if let error { fault(.effect(run(number, of: slot.feedback)), error) }
            tellOfRun(number, of: slot) { $0.effectEnded($1) }
        }
    }

    /// Cancels the feedback's unfinished run and forgets the calls that wait.
    @inlinable @inline(never)
    func cancel(_ slot: FeedbackSlot<State, Event>) {
        if isBounded { cancelWaiting(slot) }
        if slot.lane != nil, endsKeys(of: slot) { return }
        if slot.lane != nil { forgetWaiting(slot) }
        guard slot.open > 0 else { return }
        slot.open = 0
        guard let handlers = inbox.withLock({ $0.runs.cancel(slot.key(slot.number)) }) else {
            // It has finished, but the notice of that is still in the inbox.
            tellOfRun(slot.number, of: slot) { $0.effectEnded($1) }
            return
        }
        tellOfRun(slot.number, of: slot) { $0.effectCancelled($1) }
        for handler in handlers { handler() }
    }

    /// Ends the runs of keys, if the feedback has such.
    @usableFromInline
    func endsKeys(of slot: FeedbackSlot<State, Event>) -> Bool {
        guard case .whole(let runs)? = slot.lane?.part else { return false }
        endKeys(runs, of: slot)
        return true
    }

    /// Forgets the calls that wait.
    @usableFromInline
    func forgetWaiting(_ slot: FeedbackSlot<State, Event>) {
        guard let lane = slot.lane, !lane.waiting.isEmpty else { return }
        waiting -= Int32(lane.waiting.count)
        lane.waiting.removeAll()
    }

    // MARK: - Calls that wait or execute elsewhere

    /// Starts a run that may have to wait, or to execute elsewhere, or neither.
    @usableFromInline
    func queueCall(_ slot: FeedbackSlot<State, Event>, _ event: Event?) {
        if case .whole(let runs)? = slot.lane?.part { return startKeys(runs, of: slot, event) }
        defer { slot.place = 0 }
        let lane = slot.lane ?? EffectLane(executor: nil, detached: nil, receive: nil)
        slot.lane = lane
        if slot.policy.whenBusy == .skip, slot.open > 0 { return }
        let kind: EffectLane<State, Event>.Call.Kind =
            slot.policy.whenBusy == .always && slot.number > 0 ? .receive : .start
        let call = EffectLane.Call(
            kind: kind, state: state, event: event,
            effect: kind == .start && lane.executor != nil ? lane.detached?() : nil)
        if isFree(slot, lane) { return make(call, slot, lane) }
        if slot.policy.whenBusy == .replace {
            waiting -= Int32(lane.waiting.count)
            lane.waiting.removeAll()
        }
        if slot.policy.whenBusy == .queue, let limit = plan.mailbox.limit, lane.waiting.count >= limit {
            return inbox.withLock { $0.room.droppedRequests += 1 }
        }
        lane.waiting.append(call)
        waiting += 1
        slot.lasts = true
    }

    /// Makes a further call in the run that lasts, once the calls before it have returned.
    func queueUpdate(
        _ slot: FeedbackSlot<State, Event>, _ event: Event?,
        _ update: @escaping FeedbackMemory<State, Event>.SendableEffect
    ) {
        guard let lane = slot.lane else { return receive(slot) { _ = try update(state, event, $0) } }
        let call = EffectLane.Call(kind: .receive, state: state, event: event, effect: update)
        if isFree(slot, lane) { return make(call, slot, lane) }
        lane.waiting.append(call)
        waiting += 1
    }

    /// Whether the feedback's next call may be made now.
    private func isFree(_ slot: FeedbackSlot<State, Event>, _ lane: EffectLane<State, Event>) -> Bool {
        switch slot.policy.whenBusy {
        case .overlap: true
        case .skip, .queue: slot.open == 0
        case .replace, .always: lane.calls == 0
        }
    }

    private func make(
        _ call: EffectLane<State, Event>.Call, _ slot: FeedbackSlot<State, Event>,
        _ lane: EffectLane<State, Event>
    ) {
        guard let executor = lane.executor else {
            switch call.kind {
            case .start:
                guard let effect = call.effect else { return self.call(slot, call.state, call.event) }
                self.call(slot, call.event) { try effect(call.state, call.event, $0) }
            case .receive: receive(slot) { try lane.receive?(call.state, $0) }
            }
            return
        }
        if call.kind == .start {
            if case .one(_, let runs)? = lane.part { slot.number = runs.drawNumber() &- 1 }
            slot.number += 1
            slot.lasts = true
            slot.open += 1
            tellOfRun(slot.number, of: slot) { $0.effectStarted($1, by: call.event) }
        }
        lane.calls += 1
        let number = slot.number
        inbox.withLock {
            $0.runs.callElsewhere(
                slot.key(number), isStopping: $0.stopReason != nil, onlyReceives: slot.policy.onlyReceives)
        }
        let (state, event, effect, receive) = (call.state, call.event, call.effect, lane.receive)
        executor.enqueue(
            EffectCall(slot, number, on: executor) { run in
                if let effect { return try effect(state, event, run) }
                try receive?(state, run)
                return .finished
            })
    }

    /// Gives something later to the run that lasts, on the loop's executor.
    private func receive(_ slot: FeedbackSlot<State, Event>, _ body: (Run<Event>) throws -> Void) {
        let effectRun = Run(target: slot, number: slot.number)
        beginCall(slot, slot.number)
        var failure: (any Error)?
        do {
            try body(effectRun)
        } catch {
            failure = recover(slot, effectRun, error)
        }
        open = 0
        endCall(slot)
        forgetEarly(slot)
        if let failure { fault(.effect(run(slot.number, of: slot.feedback)), failure) }
    }

    /// Forgets what was said of a run during a call, if it has no record to keep it.
    private func forgetEarly(_ slot: FeedbackSlot<State, Event>) {
        guard hasEarly else { return }
        hasEarly = false
        let leftover = inbox.withLock { inbox in
            inbox.runs.dropEarly(slot.feedback)
            return inbox.takeLeftover()
        }
        withExtendedLifetime(leftover) {}
    }

    /// A slot of this loop as what it is.
    @inlinable
    func own(_ slot: RunSlot<Event>) -> FeedbackSlot<State, Event> {
        // Safe because the slots of a loop are made by it, and of no other kind.
        unsafe unsafeDowncast(slot, to: FeedbackSlot<State, Event>.self)
    }

    /// Acts on what was left in the inbox and is no event.
    @inlinable @inline(never)
    func attend(to notice: Inbox<Event>.Item) {
        switch notice {
        case .event, .events, .emission: break
        case .resumed(let slot, let number, let body): resume(own(slot), number, body)
        case .dropped(let event, let slot, let number, let isLate):
            tellOfRun(number, of: slot) { isLate ? $0.late(event, from: $1) : $0.withdrawn(event, from: $1) }
        case .visit(let visit): visit()
        case .overflowed(let item): tellOfOverflow(item)
        case .finished(let slot, let number, let error):
            settle(own(slot), number, .ended(error: error))
        case .returned(let slot, let number, let outcome): returned(own(slot), number, outcome)
        }
    }

    /// A call that executed elsewhere has returned.
    @usableFromInline
    func returned(_ slot: FeedbackSlot<State, Event>, _ number: UInt64, _ outcome: RunLedger.Outcome) {
        slot.lane?.calls -= 1
        resumeWaiting(slot)
        settle(slot, number, outcome)
        if let lane = slot.lane, lane.calls == 0, case .one(let run, let runs)? = lane.part {
            runs.releaseIfGone(run)
        }
    }

    /// Makes the further calls that were asked for while the call that has returned executed.
    func resumeWaiting(_ slot: FeedbackSlot<State, Event>) {
        guard let lane = slot.lane, !lane.resumptions.isEmpty else { return }
        let resumptions = lane.resumptions
        lane.resumptions = []
        for (number, body) in resumptions { resume(slot, number, body) }
    }

    /// Makes a further call of a pending run.
    @usableFromInline
    func resume(
        _ slot: FeedbackSlot<State, Event>, _ number: UInt64, _ body: @escaping RunTarget<Event>.Resumption
    ) {
        guard !has(LoopSignal.stop) else { return finish(slot, number, error: nil) }
        let executor = slot.lane?.executor
        switch inbox.withLock({ $0.runs.callAgain(slot.key(number), elsewhere: executor != nil) }) {
        case .over: return finish(slot, number, error: nil)
        case .calling:
            slot.lane?.resumptions.append((number, body))
            return
        case .ready: break
        }
        isQuiescent = false
        if let executor {
            slot.lane?.calls += 1
            return executor.enqueue(EffectCall(slot, number, on: executor, effect: body))
        }
        let effectRun = Run(target: slot, number: number)
        beginCall(slot, number)
        var status = EffectStatus.finished
        var failure: (any Error)?
        do {
            status = try body(effectRun)
        } catch {
            failure = recover(slot, effectRun, error)
        }
        open = 0
        endCall(slot)
        forgetEarly(slot)
        guard status == .finished else { return }
        let outcome = inbox.withLock { $0.runs.finish(slot.key(number), error: failure, whileCalling: false) }
        if case .ended = outcome { settle(slot, number, outcome) }
    }

    @inlinable
    func settle(_ slot: FeedbackSlot<State, Event>, _ number: UInt64, _ outcome: RunLedger.Outcome) {
        if number > slot.endedThrough.load(ordering: .relaxed) {
            switch outcome {
            case .goesOn(let error):
                if let error { fault(.effect(run(number, of: slot.feedback)), error) }
            case .ended(let error):
                if let error { fault(.effect(run(number, of: slot.feedback)), error) }
                // A run for the loop's life ends once, and is given states afterwards.
                guard slot.open > 0 else { break }
                slot.open -= 1
                tellOfRun(number, of: slot) { $0.effectEnded($1) }
            }
        }
        if slot.lane != nil { makeWaiting(slot) }
    }

    /// Makes the calls that waited and may be made now.
    @usableFromInline
    func makeWaiting(_ slot: FeedbackSlot<State, Event>) {
        guard let lane = slot.lane else { return }
        while !has(LoopSignal.stop), isFree(slot, lane), let call = lane.waiting.popFirst() {
            waiting -= 1
            make(call, slot, lane)
        }
    }
}
