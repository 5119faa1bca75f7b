/// The bounded mailbox: how entries come in, and how room comes free.
extension Door {
    @usableFromInline typealias Item = Inbox<Event>.Item

    /// Queues an event from outside, or hands it to the successor.
    @inlinable
    final func emitBounded(_ event: Event) -> EmitResult {
        let result = enter(.event(event))
        return result == .stopped ? passOn(event) : result
    }

    /// Hands an event that came after the stop to the successor.
    @usableFromInline
    final func passOn(_ event: Event) -> EmitResult { inbox.withLock(\.successor)?.emit(event) ?? .stopped }

    /// Queues an entry, from any thread.
    @inlinable
    final func enter(_ item: Item) -> EmitResult {
        var released: [Item] = []
        let (result, wakes) = inbox.withLock { inbox -> (EmitResult, Bool) in
            if let refusal = refusal(of: item, in: &inbox) { return refusal }
            if fits(item, in: &inbox) || inbox.makeRoom(for: item.weight, &released) {
                return (.queued, add(item, to: &inbox))
            }
            guard let notice = inbox.countDropped(item) else { return (.full, false) }
            raise(LoopSignal.mail)
            return (.full, inbox.addNotice(notice) == .wake)
        }
        if wakes { wake() }
        withExtendedLifetime(released) {}
        return result
    }

    /// Counts an event that was dropped before it came to the full mailbox.
    final func countFull() {
        guard isBounded else { return }
        inbox.withLock { $0.room.dropped += 1 }
    }

    // MARK: - Senders that wait

    /// Queues an event from outside. If there is no room, the event waits with the ticket.
    /// - Returns: nil when the ticket is answered later.
    @usableFromInline
    final func emit(_ event: Event, waiting ticket: RoomTicket) -> EmitResult? {
        guard isBounded else {
            // The successor of an unbounded mailbox may be bounded.
            guard has(LoopSignal.stop), let successor = inbox.withLock(\.successor) else {
                return emit(event)
            }
            return successor.emit(event, waiting: ticket)
        }
        let result = enter(.event(event), waiting: ticket)
        guard result == .stopped, let successor = inbox.withLock(\.successor) else { return result }
        return successor.emit(event, waiting: ticket)
    }

    /// Queues an event from outside. The call waits for room without leaving the caller's actor.
    @usableFromInline
    nonisolated(nonsending) final func send(_ event: Event) async -> EmitResult {
        guard !Task.isCancelled else { return .cancelled }
        if !isBounded, !has(LoopSignal.stop) {
            // Full is the mailbox of a successor that came a moment ago.
            let result = emit(event)
            guard result == .full else { return result }
        }
        let ticket = RoomTicket()
        if let result = emit(event, waiting: ticket) { return result }
        return await ticket.value()
    }

    /// Calls `body` once: as soon as half of the room is free and `weight` events have room, or the loop stops;
    /// at once if it is so already. `body` is not called after the cancellation, which may come at any time.
    final func whenRoom(for weight: Int, _ body: @escaping @Sendable () -> Void) -> Cancellation {
        let watcher = inbox.withLock { inbox -> UInt64? in
            guard isBounded, inbox.stopReason == nil else { return nil }
            countFreed(in: &inbox, isAwaited: true)
            return inbox.room.watch(weight, body)
        }
        guard let watcher else {
            body()
            return Cancellation {}
        }
        return Cancellation { [self] in
            let watchers = inbox.withLock { inbox in
                countFreed(in: &inbox)
                return inbox.room.withdraw(watcher: watcher)
            }
            for watcher in watchers { watcher() }
        }
    }

    /// Queues an entry of a run. If there is no room, the entry waits with the ticket.
    @inlinable @inline(never)
    final func post(
        _ event: Event, rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64,
        waiting ticket: RoomTicket
    ) -> EmitResult? {
        guard isBounded else { return post(event, rest: rest, from: slot, number) }
        return enter(.emission(event, rest: rest, slot, number: number), waiting: ticket)
    }

    @inlinable
    final func enter(_ item: Item, waiting ticket: RoomTicket) -> EmitResult? {
        let (result, wakes, turn) = inbox.withLock { inbox -> (EmitResult?, Bool, UInt64?) in
            if let (result, wakes) = refusal(of: item, in: &inbox) { return (result, wakes, nil) }
            guard !fits(item, in: &inbox, isAwaited: true) || inbox.room.firstWaiting() != nil else {
                return (.queued, add(item, to: &inbox), nil)
            }
            guard item.weight <= inbox.room.limit else { return (.full, false, nil) }
            countFreed(in: &inbox, isAwaited: true)
            return (nil, false, inbox.room.wait(item, ticket))
        }
        if wakes { wake() }
        if let turn { ticket.begin { [self] result in giveUp(turn, item, result) } }
        return result
    }

    /// Ends a wait before its turn has come. If a thread's time is over, but its entry has room now, the
    /// entry is queued.
    @usableFromInline
    final func giveUp(_ turn: UInt64, _ item: Item, _ result: EmitResult) {
        let (ended, wakes) = inbox.withLock { inbox -> (MailboxRoom<Event>.EndedWait?, Bool) in
            guard inbox.room.isWaiting(turn) else { return (nil, false) }
            let refusal = refusal(of: item, in: &inbox)
            let isServed =
                refusal == nil && result == .full && inbox.room.firstWaiting()?.turn == turn
                && fits(item, in: &inbox)
            let ended = inbox.room.endWait(turn, refusal?.0 ?? (isServed ? .queued : result))
            return (ended, isServed ? add(item, to: &inbox) : refusal?.1 ?? false)
        }
        ended?.answer()
        if wakes { wake() }
    }

    /// The reason why an entry does not count at all, and whether the caller must schedule the loop. Nil if
    /// it counts.
    @inlinable
    final func refusal(of item: Item, in inbox: inout Inbox<Event>) -> (EmitResult, Bool)? {
        guard inbox.stopReason == nil else {
            if case .emission(_, _, let slot, _) = item {
                countRefused(item.weight, of: slot, in: &inbox)
            } else {
                countRefused(item.weight, in: &inbox)
            }
            return (.stopped, false)
        }
        guard case .emission(let event, let rest, let slot, let number) = item,
            !accepts(slot, number, in: &inbox)
        else { return nil }
        return (.cancelled, countLate(event, rest: rest, from: slot, number, in: &inbox) == .wake)
    }

    /// Whether an entry has room now.
    ///
    /// - Parameter isAwaited: the entry waits for room if it has none now.
    @inlinable
    final func fits(_ item: Item, in inbox: inout Inbox<Event>, isAwaited: Bool = false) -> Bool {
        // Without the room that has come free since it was counted last, the mailbox seems fuller than it is.
        if inbox.room.fits(item) { return true }
        countFreed(in: &inbox, isAwaited: isAwaited)
        return inbox.room.fits(item)
    }

    /// Counts the room that has come free.
    ///
    /// - Parameter isAwaited: an entry or a watcher is about to wait for room.
    @inlinable
    final func countFreed(in inbox: inout Inbox<Event>, isAwaited: Bool = false) {
        inbox.room.release(freed.take(isAwaited: isAwaited || inbox.room.isAwaited))
    }

    /// Adds an entry that has room. Returns whether the caller must schedule the loop.
    @inlinable
    final func add(_ item: Item, to inbox: inout Inbox<Event>) -> Bool {
        inbox.room.incoming += item.weight
        raise(LoopSignal.mail)
        return inbox.add(item) == .wake
    }

    // MARK: - The draining thread

    /// Frees the room of the entry that the loop takes next.
    @inlinable
    final func releaseRoomOfNext() {
        let weight = queue.prepareNext()
        if weight > 0 { release(weight) }
    }

    /// Frees the room of `weight` events that have left the queue.
    @inlinable
    final func release(_ weight: Int) {
        if freed.add(weight) { serve() }
    }

    /// Gives free room to the entries that wait, and then to those who watch for it.
    @inlinable @inline(never)
    final func serve() {
        let (ended, watchers) = inbox.withLock { inbox in
            countFreed(in: &inbox)
            var ended: [MailboxRoom<Event>.EndedWait?] = []
            while let (turn, item) = inbox.room.nextToServe() {
                let refusal = refusal(of: item, in: &inbox)
                if refusal == nil { _ = add(item, to: &inbox) }
                ended.append(inbox.room.endWait(turn, refusal?.0 ?? .queued))
            }
            let watchers = inbox.room.takeWatchers()
            // From now on, the draining thread comes here only if an entry or a watcher still waits.
            countFreed(in: &inbox)
            return (ended, watchers)
        }
        for waiter in ended { waiter?.answer() }
        for watcher in watchers { watcher() }
    }

    /// Answers the waiting senders of a feedback, whose runs have ended or are about to.
    @inlinable
    final func cancelWaiting(_ slot: RunSlot<Event>) {
        let ended = inbox.withLock { inbox in
            let turns = inbox.room.turns { item in
                guard case .emission(_, _, let sender, _) = item else { return false }
                return sender === slot
            }
            return turns.map { turn in
                let ended = inbox.room.endWait(turn, .cancelled)
                if case .emission(let event, let rest, _, let number)? = ended?.waiter.item {
                    _ = countLate(event, rest: rest, from: slot, number, in: &inbox)
                }
                return ended
            }
        }
        for waiter in ended { waiter?.answer() }
    }

    /// Queues the items of the inbox, and drops `excess` events.
    @inlinable
    final func append(_ items: ContiguousArray<Item>, dropping excess: Int) {
        var excess = excess
        let before = queue.tail
        var lost: [Item] = excess > 0 ? dropQueued(&excess) : []
        for item in items {
            let weight = item.weight
            if case .emission(_, _, let slot, let number) = item, slot.hasEnded(number) {
                // The entry is withdrawn, so one drop less is needed.
                excess -= weight
            } else if weight > 0, excess > 0 {
                excess -= weight
                lost.append(item)
                continue
            }
            append(item)
        }
        for position in before..<queue.tail { queue.count(position) }
        if !lost.isEmpty {
            inbox.withLock { inbox in
                for item in lost {
                    guard let notice = inbox.countDropped(item) else { continue }
                    notices.append(notice)
                    raise(LoopSignal.notices)
                }
            }
        }
        if excess < 0 { release(-excess) }
    }

    /// Removes counted entries from the queue until `excess` is 0 or no such entry is left.
    @usableFromInline
    final func dropQueued(_ excess: inout Int) -> [Item] {
        let step = plan.mailbox.overflow == .dropNewest ? -1 : 1
        var next = step < 0 ? queue.tail - 1 : queue.head
        var lost: [Item] = []
        while excess > 0, let position = queue.counted(from: next, step: step) {
            let entry = queue.remove(position)
            next = position + step
            guard let event = entry.event else { continue }
            guard entry.feedback >= 0 else {
                lost.append(.event(event))
                excess -= 1
                continue
            }
            let slot = plan.slot(self, entry.feedback)
            if slot.first == position { slot.advance(to: queue.firstPresent(from: position)) }
            let item = Item.emission(event, rest: entry.rest, slot, number: entry.run)
            lost.append(item)
            excess -= item.weight
        }
        return lost
    }
}
