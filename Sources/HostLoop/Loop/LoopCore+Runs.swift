public import Synchronization

/// Starts and ends the runs of feedbacks.
extension LoopCore {
    /// Calls an effect on the loop's executor.
    @inlinable @inline(__always)
    func call(_ slot: Slot, _ state: State, _ event: Event?, hasWaited: Bool = false) {
        call(slot, event, hasWaited: hasWaited) { run in try slot.effect(state, event, run) }
    }

    /// Makes the call that begins a run.
    @inlinable @inline(__always)
    func call(
        _ slot: Slot, _ event: Event?, hasWaited: Bool = false, _ body: (Run<Event>) throws -> EffectStatus
    ) {
        let number = slot.number &+ 1
        slot.number = number
        slot.hasRun = true
        if isElaborate { notifyOfRun(number, of: slot) { $0.effectStarted($1, by: event) } }
        slot.beginCall(number)
        var status = EffectStatus.finished
        var failure: (any Error)?
        do {
            status = try body(Run(target: slot, number: number))
        } catch {
            failure = recover(slot, number, error)
        }
        slot.vacancy = 0
        if spin.journal != nil { recordCall(slot, number, status, hasWaited: hasWaited) }
        openEntry = 0
        if status == .finished, !isElaborate, failure == nil {
            slot.endCall()
            // Another thread that used the run during the call has set this signal.
            if has(LoopSignal.callingRows) { removeCallingRows() }
        } else {
            keepOrEnd(slot, number, status, failure)
        }
    }

    /// Emits the event that `catch` makes of an error, as part of the call. Returns the error if there is no
    /// such event.
    @usableFromInline
    func recover(_ slot: Slot, _ number: UInt64, _ error: any Error) -> (any Error)? {
        guard let event = recovered(error, feedback: slot.feedback) else { return error }
        Run(target: slot, number: number).emit(event)
        return nil
    }

    /// Registers a run that continues after its first call, or reports its end.
    @inlinable @inline(never)
    func keepOrEnd(_ slot: Slot, _ number: UInt64, _ status: EffectStatus, _ failure: (any Error)?) {
        var outcome = RunTable.Outcome.ended(error: failure)
        if status == .pending {
            var released = RunTable.Released()
            inbox.withLock { inbox in
                outcome = inbox.runs.register(
                    slot.key(number), isStopping: inbox.stopReason != nil,
                    onlyReceives: slot.policy.onlyReceives, &released)
            }
            withExtendedLifetime(released) {}
        }
        slot.endCall()
        if has(LoopSignal.callingRows) { removeCallingRows() }
        switch outcome {
        case .continues: slot.unfinished += 1
        case .ended(let error):
            if let error { fault(.effect(spin.run(number, ofFeedbackAt: slot.feedback)), error) }
            if status == .pending { recordEnd(slot, number) }
            notifyOfRun(number, of: slot) { $0.effectEnded($1) }
        }
    }

    /// Removes the rows that other threads made for runs that their call has ended.
    @usableFromInline
    func removeCallingRows() {
        var released = RunTable.Released()
        inbox.withLock { inbox in
            inbox.runs.removeCalling(&released)
            lower(LoopSignal.callingRows)
        }
        withExtendedLifetime(released) {}
    }

    /// Cancels the feedback's unfinished run, withdraws its emissions, and drops the calls that wait.
    @inlinable @inline(never)
    func cancel(_ slot: Slot) {
        var handlers: [CancelHandler]?
        if slot.unfinished > 0 {
            // In one step: an effect that sees that its run is cancelled may end it, and must find no handlers then.
            handlers = inbox.withLock { inbox in
                slot.endedThrough.store(slot.number, ordering: .releasing)
                return inbox.runs.cancel(slot.key(slot.number))
            }
        } else {
            slot.endedThrough.store(slot.number, ordering: .releasing)
        }
        if slot.first != 0 { withdraw(slot) }
        if isBounded { cancelWaiting(slot) }
        if slot.calls != nil {
            if endsKeys(of: slot) { return }
            forgetWaiting(slot)
        }
        guard slot.unfinished > 0 else { return }
        slot.unfinished = 0
        journal?.ended(feedback: slot.feedback, run: slot.number, isCancelled: true)
        guard let handlers else {
            // The run has finished, but the notice of its end is still in the inbox.
            notifyOfRun(slot.number, of: slot) { $0.effectEnded($1) }
            return
        }
        notifyOfRun(slot.number, of: slot) { $0.effectCancelled($1) }
        for handler in handlers { handler() }
    }

    /// Ends the runs of keys, if the feedback has keys. Returns whether it has.
    @usableFromInline
    func endsKeys(of slot: Slot) -> Bool {
        guard case .allKeys(let runs)? = slot.calls?.keyedRole else { return false }
        endKeys(runs, of: slot)
        return true
    }

    /// Drops the calls that wait.
    @usableFromInline
    func forgetWaiting(_ slot: Slot) {
        guard let calls = slot.calls, !calls.waiting.isEmpty else { return }
        waiting -= Int32(calls.waiting.count)
        calls.waiting.removeAll()
        journal?.forgot(feedback: slot.feedback)
    }

    // MARK: - Calls that wait or execute elsewhere

    /// Starts a run. Its call may have to wait, or to execute elsewhere, or neither.
    ///
    /// - Parameters:
    ///   - cause: The state that the run is for; nil for the present one.
    ///   - number: The number of a run that an earlier process has begun; 0 for another one.
    @usableFromInline
    func queueCall(_ slot: Slot, _ event: Event?, of cause: State? = nil, number: UInt64 = 0) {
        if case .allKeys(let runs)? = slot.calls?.keyedRole { return startKeys(runs, of: slot, event) }
        defer { slot.vacancy = 0 }
        let calls = slot.calls ?? CallQueue(executor: nil, detached: nil, receive: nil)
        slot.calls = calls
        if slot.policy.whenBusy == .skip, slot.unfinished > 0 { return }
        let kind: CallQueue<State, Event>.Call.Kind =
            slot.policy.whenBusy == .always && slot.number > 0 ? .receive : .start
        let call = CallQueue.Call(
            kind: kind, state: cause ?? state, event: event,
            effect: kind == .start && calls.executor != nil ? calls.detached?() : nil, number: number)
        if isFree(slot, calls) { return make(call, slot, calls) }
        if slot.policy.whenBusy == .replace { forgetWaiting(slot) }
        if slot.policy.whenBusy == .queue, let limit = plan.mailbox.limit, calls.waiting.count >= limit {
            return inbox.withLock { $0.room.droppedRequests += 1 }
        }
        calls.waiting.append(call)
        waiting += 1
        slot.hasRun = true
        if kind == .start { journal?.asked(feedback: slot.feedback) }
    }

    /// Makes another call in the current run, once the calls before it have returned.
    func queueUpdate(
        _ slot: Slot, _ event: Event?, _ update: @escaping FeedbackMemory<State, Event>.SendableEffect
    ) {
        guard let calls = slot.calls else { return receive(slot) { _ = try update(state, event, $0) } }
        let call = CallQueue.Call(kind: .receive, state: state, event: event, effect: update)
        if isFree(slot, calls) { return make(call, slot, calls) }
        calls.waiting.append(call)
        waiting += 1
    }

    /// Whether the feedback's next call may begin now.
    private func isFree(_ slot: Slot, _ calls: CallQueue<State, Event>) -> Bool {
        switch slot.policy.whenBusy {
        case .overlap: true
        case .skip, .queue: slot.unfinished == 0
        case .replace, .always: calls.executing == 0
        }
    }

    private func make(
        _ call: CallQueue<State, Event>.Call, _ slot: Slot, _ calls: CallQueue<State, Event>,
        hasWaited: Bool = false
    ) {
        let latest = slot.number
        if call.number > 0 { slot.number = call.number &- 1 }
        defer { slot.number = max(slot.number, latest) }
        guard let executor = calls.executor else {
            switch call.kind {
            case .start:
                guard let effect = call.effect else {
                    return self.call(slot, call.state, call.event, hasWaited: hasWaited)
                }
                self.call(slot, call.event, hasWaited: hasWaited) { try effect(call.state, call.event, $0) }
            case .receive: receive(slot) { try calls.receive?(call.state, $0) }
            }
            return
        }
        if call.kind == .start {
            if case .oneKey(_, let runs)? = calls.keyedRole { slot.number = runs.nextNumber() &- 1 }
            slot.number += 1
            slot.hasRun = true
            slot.unfinished += 1
            notifyOfRun(slot.number, of: slot) { $0.effectStarted($1, by: call.event) }
            journal?.began(
                feedback: slot.feedback, run: slot.number, events: nil, hasWaited: hasWaited)
        }
        calls.executing += 1
        let number = slot.number
        inbox.withLock {
            $0.runs.callElsewhere(
                slot.key(number), isStopping: $0.stopReason != nil, onlyReceives: slot.policy.onlyReceives)
        }
        let (state, event, effect, receive) = (call.state, call.event, call.effect, calls.receive)
        executor.enqueue(
            EffectCall(slot, number, on: executor) { run in
                if let effect { return try effect(state, event, run) }
                try receive?(state, run)
                return .finished
            })
    }

    /// Calls `body` as another call of the current run, on the loop's executor.
    private func receive(_ slot: Slot, _ body: (Run<Event>) throws -> Void) {
        let failure = callAgain(slot, slot.number) { run in
            try body(run)
            return .pending
        }.failure
        if let failure { fault(.effect(spin.run(slot.number, ofFeedbackAt: slot.feedback)), failure) }
    }

    /// Makes another call of a run on the loop's executor.
    private func callAgain(
        _ slot: Slot, _ number: UInt64, _ body: (Run<Event>) throws -> EffectStatus
    ) -> (status: EffectStatus, failure: (any Error)?) {
        slot.beginCall(number)
        var status = EffectStatus.finished
        var failure: (any Error)?
        do {
            status = try body(Run(target: slot, number: number))
        } catch {
            failure = recover(slot, number, error)
        }
        openEntry = 0
        slot.endCall()
        if has(LoopSignal.callingRows) { removeCallingRows() }
        return (status, failure)
    }

    // MARK: - Notices

    /// A slot of this loop with its full type.
    @inlinable
    func fullyTyped(_ slot: RunSlot<Event>) -> Slot {
        // Safe because a loop makes all of its slots itself, with this class.
        unsafe unsafeDowncast(slot, to: Slot.self)
    }

    /// Handles an item of the inbox that is not an event.
    @inlinable @inline(never)
    func handle(_ notice: Inbox<Event>.Item) {
        switch notice {
        case .event, .events, .emission: break
        case .resumed(let slot, let number, let body): resume(fullyTyped(slot), number, body)
        case .dropped(let event, let slot, let number, let isLate):
            notifyOfRun(number, of: slot) {
                isLate ? $0.late(event, from: $1) : $0.withdrawn(event, from: $1)
            }
        case .callback(let body): body()
        case .overflowed(let item): notifyOverflow(item)
        case .finished(let slot, let number, let error):
            applyOutcome(fullyTyped(slot), number, .ended(error: error))
        case .returned(let slot, let number, let outcome): returned(fullyTyped(slot), number, outcome)
        }
    }

    /// Handles the return of a call that executed elsewhere.
    @usableFromInline
    func returned(_ slot: Slot, _ number: UInt64, _ outcome: RunTable.Outcome) {
        slot.calls?.executing -= 1
        resumeWaiting(slot)
        applyOutcome(slot, number, outcome)
        if let calls = slot.calls, calls.executing == 0, case .oneKey(let run, let runs)? = calls.keyedRole {
            runs.releaseIfGone(run)
        }
    }

    /// Makes the calls that the run asked for while its last call executed.
    func resumeWaiting(_ slot: Slot) {
        guard let calls = slot.calls, !calls.resumptions.isEmpty else { return }
        let resumptions = calls.resumptions
        calls.resumptions = []
        for (number, body) in resumptions { resume(slot, number, body) }
    }

    /// Makes another call of a pending run.
    @usableFromInline
    func resume(_ slot: Slot, _ number: UInt64, _ body: @escaping @Sendable () throws -> EffectStatus) {
        guard !has(LoopSignal.stop) else { return finish(slot, number, error: nil) }
        let executor = slot.calls?.executor
        switch inbox.withLock({ $0.runs.callAgain(slot.key(number), elsewhere: executor != nil) }) {
        case .over: return finish(slot, number, error: nil)
        case .calling:
            slot.calls?.resumptions.append((number, body))
            return
        case .ready: break
        }
        isQuiescent = false
        if let executor {
            slot.calls?.executing += 1
            return executor.enqueue(EffectCall(slot, number, on: executor) { _ in try body() })
        }
        let (status, failure) = callAgain(slot, number) { _ in try body() }
        guard status == .finished else { return }
        var released = RunTable.Released()
        let outcome = inbox.withLock {
            $0.runs.finish(slot.key(number), error: failure, whileCalling: false, &released)
        }
        withExtendedLifetime(released) {}
        if case .ended = outcome { applyOutcome(slot, number, outcome) }
    }

    /// Counts and reports the outcome of a run, and makes the calls that waited for it.
    @inlinable
    func applyOutcome(_ slot: Slot, _ number: UInt64, _ outcome: RunTable.Outcome) {
        if !slot.hasEnded(number) {
            switch outcome {
            case .continues(let error):
                if let error { fault(.effect(spin.run(number, ofFeedbackAt: slot.feedback)), error) }
            case .ended(let error):
                if let error { fault(.effect(spin.run(number, ofFeedbackAt: slot.feedback)), error) }
                // A run for the loop's life ends once, and still gets states afterwards.
                guard slot.unfinished > 0 else { break }
                slot.unfinished -= 1
                recordEnd(slot, number)
                notifyOfRun(number, of: slot) { $0.effectEnded($1) }
            }
        }
        if slot.calls != nil { makeWaiting(slot) }
    }

    /// Makes the waiting calls that may begin now.
    @usableFromInline
    func makeWaiting(_ slot: Slot) {
        guard let calls = slot.calls else { return }
        while !has(LoopSignal.stop), isFree(slot, calls), let call = calls.waiting.popFirst() {
            waiting -= 1
            make(call, slot, calls, hasWaited: call.kind == .start)
        }
    }
}
