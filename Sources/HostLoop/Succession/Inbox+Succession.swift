extension Inbox {
    /// The items and runs that a loop hands to its successor.
    struct Handover: Sendable {
        /// The items in order; entries that waited for room come last.
        var items: ContiguousArray<Item>
        /// The caller must answer these outside the lock.
        let waiters: [MailboxRoom<Event>.EndedWait]
        /// Those who wait for room; the caller must call these outside the lock.
        let watchers: [@Sendable () -> Void]
        /// The handlers of runs that the successor does not continue.
        let handlers: [CancelHandler]
        /// The rows of runs that the successor continues.
        let rows: [RunKey: RunTable.Row]
    }

    /// The loop that continues this one.
    var successor: LoopSuccessor<Event>? { hasRarities ? rarities.successor : nil }

    /// Ends the loop: later events and operations of runs go to `successor`. Returns nil when the loop stops
    /// already.
    /// - Parameter indices: The new index of each slot that the successor continues, by its old index.
    mutating func handOver(
        to successor: LoopSuccessor<Event>, of indices: [Int32: Int32]
    ) -> Handover? {
        guard stopReason == nil else { return nil }
        stopReason = .stopped
        let rows = runs.takeRows(of: indices)
        rarities.successor = successor
        let waiters = hasRoom ? room.endAllWaits(.queued) : []
        let watchers = hasRoom ? room.takeAllWatchers() : []
        let (keys, handlers) = runs.cancelAll()
        if !keys.isEmpty { rarities.cancelledByStop = keys }
        defer { events = [] }
        return Handover(
            items: takeItems() + [.events(events)] + waiters.map(\.waiter.item), waiters: waiters,
            watchers: watchers, handlers: handlers, rows: rows)
    }

    /// Adds the rows of another inbox, and its counts.
    mutating func inherit(_ rows: [RunKey: RunTable.Row], from before: borrowing Inbox) {
        if !rows.isEmpty { runs.add(rows) }
        let other = before.rarities
        // Most loops by key have nothing rare, and take no memory for it.
        if other.late + other.withdrawn + other.discarded + other.refused > 0 {
            rarities.late += other.late
            rarities.withdrawn += other.withdrawn
            rarities.discarded += other.discarded
            rarities.refused += other.refused
        }
        guard before.hasRoom, hasRoom else { return }
        let room = before.room
        self.room.dropped += room.dropped
        self.room.droppedRequests += room.droppedRequests
    }
}
