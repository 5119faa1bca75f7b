public import Synchronization

/// The bounded mailbox: ways in, and room given back.
extension Mailbox {
    @usableFromInline typealias Item = Inbox<Event>.Item

    /// Takes an entry, from any thread.
    @inlinable
    final func enter(_ item: Item) -> EmitResult {
        var released: [Item] = []
        let (result, wakes) = inbox.withLock { inbox -> (EmitResult, Bool) in
            if let refusal = refusal(of: item, in: &inbox) { return refusal }
            if inbox.makeRoom(for: item.weight, &released) { return (.queued, leave(item, in: &inbox)) }
            guard let notice = inbox.lose(item) else { return (.full, false) }
            raise(LoopSignal.mail)
            return (.full, inbox.leaveNotice(notice) == .wake)
        }
        if wakes { wake() }
        withExtendedLifetime(released) {}
        return result
    }

    /// Takes an event from outside once there is room for it.
    @usableFromInline
    final func send(_ event: Event) async -> EmitResult {
        guard !Task.isCancelled else { return .cancelled }
        guard isBounded else { return emit(event) }
        let result = await send(.event(event))
        guard result == .stopped, let successor = inbox.withLock(\.successor) else { return result }
        return await successor.send(event)
    }

    /// Takes an event from a run once there is room for it.
    final func send(_ event: Event, from slot: RunSlot<Event>, _ number: UInt64) async -> EmitResult {
        // A cancelled task does not wait; that its run is over is found, and counted, by `emit`.
        guard isBounded, !Task.isCancelled, !isExecuting(slot, number) else {
            return emit(event, from: slot, number)
        }
        let result = await send(.emission(event, rest: nil, slot, number: number))
        guard result == .stopped, let heir = heir(of: slot), let (event, _) = heir.carried(event, nil) else {
            return result
        }
        return await heir.slot.send(event, from: number)
    }

    /// Takes an event, or the emission of one, once there is room for it.
    private final func send(_ item: Item) async -> EmitResult {
        let (result, wakes, ticket) = inbox.withLock { inbox -> (EmitResult, Bool, UInt64?) in
            if let (result, wakes) = refusal(of: item, in: &inbox) { return (result, wakes, nil) }
            guard inbox.room.hasRoom, inbox.room.first() == nil else {
                return (.full, false, inbox.room.wait(item))
            }
            return (.queued, leave(item, in: &inbox), nil)
        }
        if wakes { wake() }
        guard let ticket else { return result }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = inbox.withLock { $0.room.suspend(continuation, ticket) }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let (settled, wakes) = inbox.withLock { inbox -> (MailboxRoom<Event>.Settled?, Bool) in
                guard let settled = inbox.room.settle(ticket, .cancelled) else { return (nil, false) }
                return (settled, refusal(of: item, in: &inbox)?.1 ?? false)
            }
            settled?.resume()
            if wakes { wake() }
        }
    }

    /// Why an entry does not count at all, and whether the loop has to be woken to tell of that.
    @inlinable
    final func refusal(of item: Item, in inbox: inout Inbox<Event>) -> (EmitResult, Bool)? {
        guard inbox.stopReason == nil else {
            inbox.runs.refused += UInt64(item.weight)
            return (.stopped, false)
        }
        guard case .emission(let event, let rest, let slot, let number) = item,
            !accepts(slot, number, in: &inbox)
        else { return nil }
        return (.cancelled, countLate(event, rest: rest, from: slot, number, in: &inbox) == .wake)
    }

    /// Leaves an entry that has room; true when the loop has to be woken.
    @inlinable
    final func leave(_ item: Item, in inbox: inout Inbox<Event>) -> Bool {
        inbox.room.left += item.weight
        raise(LoopSignal.mail)
        return inbox.leave(item) == .wake
    }

    // MARK: - The draining thread

    /// Gives back the room of the entry that is taken next.
    @inlinable
    final func makeReady() {
        let weight = queue.makeReady()
        if weight > 0 { release(weight) }
    }

    /// Gives back the room of so many events that have left the queue: first to those who wait.
    @inlinable
    final func release(_ weight: Int) {
        let settled = inbox.withLock { inbox in
            inbox.room.release(weight)
            var settled: [MailboxRoom<Event>.Settled?] = []
            while let (ticket, item) = inbox.room.nextToServe() {
                let refusal = refusal(of: item, in: &inbox)
                if refusal == nil { _ = leave(item, in: &inbox) }
                settled.append(inbox.room.settle(ticket, refusal?.0 ?? .queued))
            }
            return settled
        }
        for waiter in settled { waiter?.resume() }
    }

    /// Answers those who wait to send from runs that were ended.
    @inlinable
    final func cancelWaiting(_ slot: RunSlot<Event>) {
        let settled = inbox.withLock { inbox in
            let tickets = inbox.room.tickets { item in
                guard case .emission(_, _, let sender, let number) = item else { return false }
                return sender === slot && number <= slot.endedThrough.load(ordering: .relaxed)
            }
            return tickets.map { ticket in
                let settled = inbox.room.settle(ticket, .cancelled)
                if case .emission(let event, let rest, _, let number)? = settled?.waiter.item {
                    _ = countLate(event, rest: rest, from: slot, number, in: &inbox)
                }
                return settled
            }
        }
        for waiter in settled { waiter?.resume() }
    }

    /// Queues what was left in the inbox, and drops what is `owed`.
    @inlinable
    final func place(_ items: ContiguousArray<Item>, owed: Int) {
        var owed = owed
        let before = queue.tail
        var lost: [Item] = owed > 0 ? dropQueued(&owed, overflow) : []
        for item in items {
            let weight = item.weight
            if case .emission(_, _, let slot, let number) = item,
                number <= slot.endedThrough.load(ordering: .relaxed)
            {
                // It is withdrawn, which pays for a drop.
                owed -= weight
            } else if weight > 0, owed > 0 {
                owed -= weight
                lost.append(item)
                continue
            }
            place(item)
        }
        for position in before..<queue.tail { queue.count(position) }
        if !lost.isEmpty {
            inbox.withLock { inbox in
                for item in lost {
                    guard let notice = inbox.lose(item) else { continue }
                    notices.append(notice)
                    raise(LoopSignal.notices)
                }
            }
        }
        if owed < 0 { release(-owed) }
    }

    /// Takes counted entries out of the queue until nothing is `owed` any more or none is left.
    @usableFromInline
    final func dropQueued(_ owed: inout Int, _ overflow: MailboxCapacity.Overflow) -> [Item] {
        let step = overflow == .dropNewest ? -1 : 1
        var next = step < 0 ? queue.tail - 1 : queue.head
        var lost: [Item] = []
        while owed > 0, let position = queue.counted(from: next, step: step) {
            let entry = queue.remove(position)
            next = position + step
            guard let event = entry.event else { continue }
            guard entry.feedback >= 0 else {
                lost.append(.event(event))
                owed -= 1
                continue
            }
            let slot = slot(at: entry.feedback)
            if slot.first == position { slot.advance(to: queue.firstLeft(from: position)) }
            let item = Item.emission(event, rest: entry.rest, slot, number: entry.run)
            lost.append(item)
            owed -= item.weight
        }
        return lost
    }
}
