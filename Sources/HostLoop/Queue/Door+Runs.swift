public import Synchronization

/// The requests of runs to their loop, from any thread.
extension Door {
    @inlinable
    final func isCancelled(_ slot: RunSlot<Event>, _ number: UInt64) -> Bool {
        guard !has(LoopSignal.stop) else { return continuation(of: slot)?.slot.isCancelled(number) ?? true }
        return slot.hasEnded(number)
    }

    /// The slot in the loop's successor that continues the runs of `slot`. Nil when they were ended.
    @usableFromInline
    final func continuation(of slot: RunSlot<Event>) -> LoopSuccessor<Event>.Continuation? {
        has(LoopSignal.stop) ? inbox.withLock(\.successor)?.continuation(of: slot) : nil
    }

    /// Calls `handler` when the run is cancelled: now, if it is cancelled already.
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

    /// Makes the draining thread check the rows of calling runs once the call has returned. The caller must
    /// hold the inbox's lock.
    @inlinable
    final func signalCallingRows(of inbox: borrowing Inbox<Event>) {
        if inbox.hasExtras, inbox.runs.callingRows > 0 { raise(LoopSignal.callingRows) }
    }

    /// Ends a pending run that says it has finished.
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
        // The successor may know of the end already. A second `finish` does nothing.
        if has(LoopSignal.stop), let continuation = continuation(of: slot) {
            continuation.door.finish(continuation.slot, number, error: error)
        }
    }

    /// Asks for another call of a pending run.
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
                // The loop does not make the call that would end the run, so the run ends here.
                _ = inbox.runs.finish(slot.key(number), error: nil, whileCalling: isCalling, &released)
                signalCallingRows(of: inbox)
                return nil
            }
            return .resumed(slot, number: number, body)
        }
        continuation?.slot.resume(number, body)
    }

    /// Makes the draining thread call `body` between two steps, or when the loop stops. Returns false when
    /// the loop has stopped.
    final func betweenSteps(_ body: @escaping @Sendable () -> Void) -> Bool {
        let answer = inbox.withLock { inbox in
            let answer = inbox.addNotice(.callback(body))
            if answer != .refused { raise(LoopSignal.mail | LoopSignal.notices) }
            return answer
        }
        if answer == .wake { wake() }
        return answer != .refused
    }

    /// Reports that a call of the run on another executor has returned.
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

    /// Adds the notice that `change` returns. If this ended the last effect of a closed loop, the loop has
    /// ended.
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

    /// Makes the loop stop. Any thread may call this, also repeatedly.
    @usableFromInline
    final func stop(_ reason: StopReason) {
        let (action, waiting, watchers) = inbox.withLock { inbox in
            let action = inbox.stop(reason)
            raise(LoopSignal.stop)
            let waiting = isBounded ? inbox.room.endAllWaits(.stopped) : []
            for wait in waiting { inbox.rarities.refused += UInt64(wait.waiter.item.weight) }
            return (action, waiting, isBounded ? inbox.room.takeAllWatchers() : [])
        }
        for waiter in waiting { waiter.answer() }
        for watcher in watchers { watcher() }
        guard let action else { return }
        for handler in action.handlers { handler() }
        if action.wakes { wake() }
    }

    @usableFromInline
    final func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = inbox.withLock { inbox in
            if inbox.phase == .closed, !inbox.hasExtras || inbox.runs.isOver { return true }
            inbox.rarities.endHandlers.append(body)
            return false
        }
        if hasEnded { body() }
    }

    // MARK: - Cancelling by an id

    /// The runs and flows that can be cancelled by an id. The table is made on demand.
    final var cancellationIDs: CancellationIDs {
        inbox.withLock { inbox in
            if let ids = inbox.rarities.cancellationIDs { return ids }
            let ids = CancellationIDs()
            inbox.rarities.cancellationIDs = ids
            return ids
        }
    }

    final func cancel(_ id: CancellationIDs.ID) {
        inbox.withLock { $0.hasRarities ? $0.rarities.cancellationIDs : nil }?.cancel(id)
    }
}
