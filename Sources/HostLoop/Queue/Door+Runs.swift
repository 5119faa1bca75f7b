public import Synchronization

/// The words of a run to its loop, from any thread.
extension Door {
    @inlinable
    final func isCancelled(_ slot: RunSlot<Event>, _ number: UInt64) -> Bool {
        guard !has(LoopSignal.stop) else { return continuation(of: slot)?.slot.isCancelled(number) ?? true }
        return slot.hasEnded(number)
    }

    /// The slot that continues the runs of a slot in the loop's successor.
    @usableFromInline
    final func continuation(of slot: RunSlot<Event>) -> LoopSuccessor<Event>.Continuation? {
        has(LoopSignal.stop) ? inbox.withLock(\.successor)?.continuation(of: slot) : nil
    }

    /// Calls `handler` when the run is cancelled: now if it is already.
    @inlinable
    final func onCancel(_ slot: RunSlot<Event>, _ number: UInt64, _ handler: CancelHandler) {
        var released = RunTable.Released()
        let isCancelledNow = inbox.withLock { inbox in
            if inbox.stopReason != nil || slot.hasEnded(number) { return true }
            let isCalling = slot.calling.load(ordering: .relaxed) == number
            inbox.runs.keep(handler, for: slot.key(number), whileCalling: isCalling, &released)
            signalCallingRows(of: inbox)
            return false
        }
        if isCancelledNow {
            if let continuation = continuation(of: slot) {
                continuation.slot.onCancel(number, handler)
            } else {
                handler()
            }
        }
        withExtendedLifetime(released) {}
    }

    /// Has the draining thread look at the rows of calling runs once the call has returned; the inbox's lock must be held.
    @inlinable
    final func signalCallingRows(of inbox: borrowing Inbox<Event>) {
        if inbox.hasExtras, inbox.runs.callingRows > 0 { raise(LoopSignal.callingRows) }
    }

    /// Ends a pending run by its own word.
    @inlinable
    final func finish(_ slot: RunSlot<Event>, _ number: UInt64, error: (any Error)?) {
        update { inbox, released in
            let isCalling = slot.calling.load(ordering: .relaxed) == number
            let outcome = inbox.runs.finish(
                slot.key(number), error: error, whileCalling: isCalling, &released)
            signalCallingRows(of: inbox)
            guard case .ended(let error) = outcome else { return nil }
            return .finished(slot, number: number, error: error)
        }
        // The continuation may know already, if it was there before: to finish twice does nothing.
        if has(LoopSignal.stop), let continuation = continuation(of: slot) {
            continuation.door.finish(continuation.slot, number, error: error)
        }
    }

    /// Asks for a further call of a pending run.
    final func resume(
        _ slot: RunSlot<Event>, _ number: UInt64, _ body: @escaping @Sendable () throws -> EffectStatus
    ) {
        var continuation: LoopSuccessor<Event>.Continuation?
        update { inbox, released in
            continuation = inbox.successor?.continuation(of: slot)
            guard continuation == nil else { return nil }
            let isCalling = slot.calling.load(ordering: .relaxed) == number
            guard inbox.stopReason == nil, inbox.runs.accepts(slot.key(number), whileCalling: isCalling)
            else {
                // The call that was to end the run will not be made.
                _ = inbox.runs.finish(slot.key(number), error: nil, whileCalling: isCalling, &released)
                signalCallingRows(of: inbox)
                return nil
            }
            return .resumed(slot, number: number, body)
        }
        continuation?.slot.resume(number, body)
    }

    /// Has the draining thread call `body` between two steps, or when the loop stops; false when it has
    /// stopped.
    final func betweenSteps(_ body: @escaping @Sendable () -> Void) -> Bool {
        let answer = inbox.withLock { inbox in
            let answer = inbox.addNotice(.callback(body))
            if answer != .refused { raise(LoopSignal.mail | LoopSignal.notices) }
            return answer
        }
        if answer == .wake { wake() }
        return answer != .refused
    }

    /// A call of the run that executed elsewhere has returned.
    final func returned(_ slot: RunSlot<Event>, _ number: UInt64, _ status: EffectStatus, error: (any Error)?)
    {
        var continuation: LoopSuccessor<Event>.Continuation?
        update { inbox, released in
            continuation = inbox.successor?.continuation(of: slot)
            guard continuation == nil else { return nil }
            let outcome = inbox.runs.returned(slot.key(number), status, error: error, &released)
            return .returned(slot, number: number, outcome)
        }
        if let continuation { continuation.door.returned(continuation.slot, number, status, error: error) }
    }

    /// Adds the notice that `change` answers. If this was the last effect of a closed loop, the loop has ended.
    @inlinable
    final func update(
        _ change: (inout Inbox<Event>, inout RunTable.Released) -> Inbox<Event>.Item?
    ) {
        var released = RunTable.Released()
        let (wakes, endHandlers) = inbox.withLock { inbox in
            var answer = Inbox<Event>.Answer.refused
            if let notice = change(&inbox, &released) {
                answer = inbox.addNotice(notice)
                if answer != .refused { raise(LoopSignal.mail | LoopSignal.notices) }
            }
            return (answer == .wake, inbox.takeEndHandlers())
        }
        if wakes { wake() }
        for handler in endHandlers { handler() }
        withExtendedLifetime(released) {}
    }

    // MARK: - The end

    /// Makes the loop stop; may be called from any thread and repeatedly.
    @usableFromInline
    final func stop(_ reason: StopReason) {
        let (action, waiting) = inbox.withLock { inbox in
            let action = inbox.stop(reason)
            raise(LoopSignal.stop)
            let waiting = isBounded ? inbox.room.endAllWaits(.stopped) : []
            if !waiting.isEmpty { inbox.extras.refused += UInt64(waiting.count) }
            return (action, waiting)
        }
        for waiter in waiting { waiter.answer() }
        guard let action else { return }
        for handler in action.handlers { handler() }
        if action.wakes { wake() }
    }

    @usableFromInline
    final func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = inbox.withLock { inbox in
            if inbox.phase == .closed, !inbox.hasExtras || inbox.runs.isOver { return true }
            inbox.extras.endHandlers.append(body)
            return false
        }
        if hasEnded { body() }
    }

    // MARK: - Cancelling by an id

    /// The runs and flows that can be cancelled by an id, made on demand.
    final var cancellationIDs: CancellationIDs {
        inbox.withLock { inbox in
            if let ids = inbox.extras.cancellationIDs { return ids }
            let ids = CancellationIDs()
            inbox.extras.cancellationIDs = ids
            return ids
        }
    }

    final func cancel(_ id: CancellationIDs.ID) {
        inbox.withLock { $0.hasExtras ? $0.extras.cancellationIDs : nil }?.cancel(id)
    }
}
