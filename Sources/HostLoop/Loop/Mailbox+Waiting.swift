/// Threads that block until a bounded mailbox has room.
extension Mailbox {
    /// Takes an entry of a run, or keeps it until there is room: then nil, and `wait` hears of it.
    final func leave(
        _ event: Event, rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64,
        waiting wait: RoomWait
    ) -> EmitResult? {
        guard isBounded else { return leave(event, rest: rest, from: slot, number) }
        let item = Item.emission(event, rest: rest, slot, number: number)
        let (result, wakes, ticket) = inbox.withLock { inbox -> (EmitResult?, Bool, UInt64?) in
            if let (result, wakes) = refusal(of: item, in: &inbox) { return (result, wakes, nil) }
            guard !inbox.room.fits(item) || inbox.room.first() != nil else {
                return (.queued, leave(item, in: &inbox), nil)
            }
            guard item.weight <= inbox.room.limit else { return (.full, false, nil) }
            return (nil, false, inbox.room.wait(item, thread: wait))
        }
        if wakes { wake() }
        if let ticket { wait.begin { [self] result in giveUp(ticket, item, result) } }
        return result
    }

    /// Answers a wait before its turn has come; one whose time is over is served if there is room now.
    private func giveUp(_ ticket: UInt64, _ item: Item, _ result: EmitResult) {
        let (settled, wakes) = inbox.withLock { inbox -> (MailboxRoom<Event>.Settled?, Bool) in
            guard inbox.room.isWaiting(ticket) else { return (nil, false) }
            let refusal = refusal(of: item, in: &inbox)
            let isServed =
                refusal == nil && result == .full && inbox.room.first()?.ticket == ticket
                && inbox.room.fits(item)
            let settled = inbox.room.settle(ticket, refusal?.0 ?? (isServed ? .queued : result))
            return (settled, isServed ? leave(item, in: &inbox) : refusal?.1 ?? false)
        }
        settled?.resume()
        if wakes { wake() }
    }
}
