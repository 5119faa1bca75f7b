/// How full a bounded mailbox is, and which entries wait for room: plain data behind the lock of the inbox.
@usableFromInline
struct MailboxRoom<Event: Sendable>: Sendable {
    /// An entry that waits, and the ticket that its sender waits for.
    @usableFromInline
    struct Waiter: Sendable {
        @usableFromInline let item: Inbox<Event>.Item
        @usableFromInline let ticket: RoomTicket
        /// The value of `released` when the wait began.
        @usableFromInline let since: UInt64
    }

    /// An entry whose wait is over; its ticket is to be answered outside the lock.
    @usableFromInline
    struct EndedWait: Sendable {
        @usableFromInline let waiter: Waiter
        @usableFromInline let result: EmitResult

        @inlinable
        init(waiter: Waiter, result: EmitResult) {
            self.waiter = waiter
            self.result = result
        }

        @usableFromInline
        func answer() { waiter.ticket.answer(result) }
    }

    @usableFromInline let limit: Int
    @usableFromInline let overflow: MailboxCapacity.Overflow
    /// Of the dropped events, so many are kept for observers between two steps.
    @usableFromInline let reportLimit: Int
    /// Counted events in the inbox.
    @usableFromInline var incoming = 0
    /// Counted events in the queue, those of a begun entry left out.
    @usableFromInline var queued = 0
    /// Of both, so many must be dropped. Only the draining thread may touch the queue, so it drops them when it
    /// moves the inbox over; room that comes free before makes up for them.
    @usableFromInline var excess = 0
    @usableFromInline var dropped: UInt64 = 0
    var droppedRequests: UInt64 = 0
    @usableFromInline var reported = 0
    /// Events that ever left the queue.
    @usableFromInline var released: UInt64 = 0

    @usableFromInline var waiters: [UInt64: Waiter] = [:]
    @usableFromInline var firstTurn: UInt64 = 0
    @usableFromInline var nextTurn: UInt64 = 0

    init(limit: Int, overflow: MailboxCapacity.Overflow, isObserved: Bool) {
        self.limit = limit
        self.overflow = overflow
        reportLimit = isObserved ? limit : 0
    }

    @inlinable var count: Int { incoming + queued - excess }
    @inlinable var hasRoom: Bool { count < limit }

    /// The inbox is moved over to the queue; answers how many events have to be dropped on the way.
    @inlinable
    mutating func moveOver() -> Int {
        queued += incoming - excess
        incoming = 0
        reported = 0
        defer { excess = 0 }
        return excess
    }

    /// So many events have left the queue.
    @inlinable
    mutating func release(_ weight: Int) {
        queued -= weight
        excess -= min(excess, weight)
        released += UInt64(weight)
    }

    // MARK: - Entries that wait

    /// Keeps an entry for later; answers its place in the line.
    mutating func wait(_ item: Inbox<Event>.Item, _ ticket: RoomTicket) -> UInt64 {
        defer { nextTurn += 1 }
        waiters[nextTurn] = Waiter(item: item, ticket: ticket, since: released)
        return nextTurn
    }

    /// Whether the entry at `place` still waits.
    func isWaiting(_ turn: UInt64) -> Bool { waiters[turn] != nil }

    /// Whether an item has room now.
    @inlinable
    func fits(_ item: Inbox<Event>.Item) -> Bool { count + item.weight <= limit }

    /// The place that waits longest, if its turn has come.
    ///
    /// A thread wakes once half of the room is free, or once as many events were taken as that is: to put it to sleep and
    /// wake it for each event would cost more than most steps.
    @inlinable
    mutating func nextToServe() -> (turn: UInt64, item: Inbox<Event>.Item)? {
        guard let (turn, item) = firstWaiting(), fits(item) else { return nil }
        guard let waiter = waiters[turn], waiter.ticket.isBlocking else { return (turn, item) }
        let half = limit / 2
        return count <= half || released - waiter.since >= UInt64(half) ? (turn, item) : nil
    }

    /// The place that waits longest.
    @inlinable
    mutating func firstWaiting() -> (turn: UInt64, item: Inbox<Event>.Item)? {
        guard !waiters.isEmpty else {
            firstTurn = nextTurn
            return nil
        }
        while true {
            if let waiter = waiters[firstTurn] { return (firstTurn, waiter.item) }
            firstTurn += 1
        }
    }

    /// The places of the items that `isMeant`, in order.
    @usableFromInline
    func turns(where matches: (Inbox<Event>.Item) -> Bool) -> [UInt64] {
        waiters.isEmpty ? [] : waiters.filter { matches($0.value.item) }.keys.sorted()
    }

    /// Ends the wait at `place`; nil when it is over already.
    @inlinable
    mutating func endWait(_ turn: UInt64, _ result: EmitResult) -> EndedWait? {
        waiters.removeValue(forKey: turn).map { EndedWait(waiter: $0, result: result) }
    }

    /// Ends all waits.
    @usableFromInline
    mutating func endAllWaits(_ result: EmitResult) -> [EndedWait] {
        turns { _ in true }.compactMap { endWait($0, result) }
    }
}
