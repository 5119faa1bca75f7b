public import Synchronization

/// What a run says of itself, from any thread.
extension Mailbox {
    @inlinable
    final func isCancelled(_ slot: RunSlot<Event>, _ number: UInt64) -> Bool {
        guard !has(LoopSignal.stop) else { return heir(of: slot)?.slot.isCancelled(number) ?? true }
        return number <= slot.endedThrough.load(ordering: .acquiring)
    }

    /// Calls `handler` when the run is cancelled: now if it is already.
    @inlinable
    final func onCancel(_ slot: RunSlot<Event>, _ number: UInt64, _ handler: CancelHandler) {
        let isExecuting = isExecuting(slot, number)
        let (isCancelledNow, leftover) = inbox.withLock { inbox -> (Bool, [RunLedger.Record]) in
            if inbox.stopReason != nil || number <= slot.endedThrough.load(ordering: .acquiring) {
                return (true, [])
            }
            let isCalling = slot.calling.load(ordering: .relaxed) == number
            if inbox.runs.keep(handler, for: slot.key(number), whileCalling: isCalling), isExecuting {
                hasEarly = true
            }
            return (false, inbox.takeLeftover())
        }
        if isCancelledNow {
            if let heir = heir(of: slot) { heir.slot.onCancel(number, handler) } else { handler() }
        }
        withExtendedLifetime(leftover) {}
    }

    /// Ends a pending run by its own word.
    @inlinable
    final func finish(_ slot: RunSlot<Event>, _ number: UInt64, error: (any Error)?) {
        let isExecuting = isExecuting(slot, number)
        settle {
            let isCalling = slot.calling.load(ordering: .relaxed) == number
            let outcome = $0.runs.finish(slot.key(number), error: error, whileCalling: isCalling)
            if isExecuting { hasEarly = true }
            guard case .ended(let error) = outcome else { return nil }
            return .finished(slot, number: number, error: error)
        }
        // One that was told before the heir was there is told twice, which does nothing.
        if has(LoopSignal.stop), let heir = heir(of: slot) {
            heir.mailbox.finish(heir.slot, number, error: error)
        }
    }

    /// Asks for a further call of a pending run.
    final func resume(
        _ slot: RunSlot<Event>, _ number: UInt64, _ body: @escaping RunTarget<Event>.Resumption
    ) {
        let isExecuting = isExecuting(slot, number)
        var heir: LoopSuccessor<Event>.Heir?
        settle {
            heir = $0.successor?.heir(of: slot)
            guard heir == nil else { return nil }
            let isCalling = slot.calling.load(ordering: .relaxed) == number
            guard $0.stopReason == nil, $0.runs.accepts(slot.key(number), whileCalling: isCalling) else {
                // Nobody makes the call that was to end the run.
                _ = $0.runs.finish(slot.key(number), error: nil, whileCalling: isCalling)
                if isExecuting { hasEarly = true }
                return nil
            }
            return .resumed(slot, number: number, body)
        }
        heir?.slot.resume(number, slot.asBefore(body))
    }

    /// Has `body` called on the draining thread between two steps, or when the loop stops; false when it has
    /// stopped.
    final func visit(_ body: @escaping @Sendable () -> Void) -> Bool {
        let answer = inbox.withLock { inbox in
            let answer = inbox.leaveNotice(.visit(body))
            if answer != .refused { raise(LoopSignal.mail | LoopSignal.notices) }
            return answer
        }
        if answer == .wake { wake() }
        return answer != .refused
    }

    /// A call of the run that executed elsewhere has returned.
    final func returned(_ slot: RunSlot<Event>, _ number: UInt64, _ status: EffectStatus, error: (any Error)?)
    {
        var heir: LoopSuccessor<Event>.Heir?
        settle {
            heir = $0.successor?.heir(of: slot)
            guard heir == nil else { return nil }
            let outcome = $0.runs.returned(slot.key(number), status, error: error)
            return .returned(slot, number: number, outcome)
        }
        if let heir { heir.mailbox.returned(heir.slot, number, status, error: error) }
    }

    /// Leaves the notice that `change` answers, and tells those who wait for the end if this was the last
    /// effect.
    @inlinable
    final func settle(_ change: (inout Inbox<Event>) -> Inbox<Event>.Item?) {
        let (wakes, ends, leftover) = inbox.withLock { inbox in
            var answer = Inbox<Event>.Answer.refused
            if let notice = change(&inbox) {
                answer = inbox.leaveNotice(notice)
                if answer != .refused { raise(LoopSignal.mail | LoopSignal.notices) }
            }
            return (answer == .wake, inbox.takeEnds(), inbox.takeLeftover())
        }
        if wakes { wake() }
        for end in ends { end() }
        withExtendedLifetime(leftover) {}
    }

    /// Makes the loop stop; may be called from any thread and repeatedly.
    @usableFromInline
    final func stop(_ reason: StopReason) {
        let (action, waiting) = inbox.withLock { inbox in
            let action = inbox.stop(reason)
            raise(LoopSignal.stop)
            let waiting = isBounded ? inbox.room.settleAll(.stopped) : []
            if !waiting.isEmpty { inbox.runs.refused += UInt64(waiting.count) }
            return (action, waiting)
        }
        for waiter in waiting { waiter.resume() }
        guard let action else { return }
        for handler in action.handlers { handler() }
        if action.wakes { wake() }
    }
}

extension Mailbox {
    @usableFromInline
    final func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = inbox.withLock { inbox in
            if inbox.phase == .closed, inbox.runs.isOver { return true }
            inbox.runs.ends.append(body)
            return false
        }
        if hasEnded { body() }
    }
}
