/// The fill of a bounded mailbox, and the entries that wait for room: plain data behind the inbox's lock. Room that
/// came free since it was counted last is in the door's `FreedRoom`.
@usableFromInline
struct MailboxRoom<Event: Sendable>: Sendable {
    /// An entry that waits for room, and the ticket on which its sender waits.
    @usableFromInline
    struct Waiter: Sendable {
        @usableFromInline let item: Inbox<Event>.Item
        @usableFromInline let ticket: RoomTicket
        /// The value of `released` when the wait began.
        @usableFromInline let since: UInt64
    }

    /// An entry whose wait has ended. The caller must answer its ticket outside the lock.
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
    /// The most dropped events that the mailbox keeps for observers between two steps.
    @usableFromInline let reportLimit: Int
    /// Counted events in the inbox.
    @usableFromInline var incoming = 0
    /// Counted events in the queue, without those of an entry that is begun; and those whose room came free, but is not
    /// counted yet.
    @usableFromInline var queued = 0
    /// Events, of both, that must be dropped. Only the draining thread may touch the queue, so it drops them
    /// when it moves the inbox to the queue. Room that comes free before that reduces the number.
    @usableFromInline var excess = 0
    @usableFromInline var dropped: UInt64 = 0
    var droppedRequests: UInt64 = 0
    @usableFromInline var reported = 0
    /// Events that have left the queue since the start, and whose room was counted as free.
    @usableFromInline var released: UInt64 = 0

    /// Called once when there is room for `weight` events again. The caller of a function that returns bodies
    /// must call them outside the lock.
    @usableFromInline
    struct Watcher: Sendable {
        /// Tells it from the others.
        let number: UInt64
        @usableFromInline let weight: Int
        @usableFromInline let body: @Sendable () -> Void
    }

    /// Those who wait for room.
    @usableFromInline
    struct Waits: Sendable, Blank {
        @usableFromInline var waiters: [UInt64: Waiter] = [:]
        @usableFromInline var firstTurn: UInt64 = 0
        @usableFromInline var nextTurn: UInt64 = 0
        /// In the order in which they came.
        @usableFromInline var watchers: [Watcher] = []
        var lastWatcher: UInt64 = 0
        /// The value of `released` when the first watcher came.
        @usableFromInline var watchedSince: UInt64 = 0

        @usableFromInline
        init() {}
    }

    /// Most mailboxes never fill up.
    @usableFromInline var waitsOnDemand = OnDemand<Waits>()

    @inlinable var hasWaits: Bool { waitsOnDemand.exists }

    @inlinable var waits: Waits {
        _read { yield waitsOnDemand.value }
        _modify { yield &waitsOnDemand.value }
    }

    init(limit: Int, overflow: MailboxCapacity.Overflow, isObserved: Bool) {
        self.limit = limit
        self.overflow = overflow
        reportLimit = isObserved ? limit : 0
    }

    /// The counted events that wait. Without `Door.countFreed`, it may be greater than their number.
    @inlinable var count: Int { incoming + queued - excess }
    @inlinable var hasRoom: Bool { count < limit }

    /// Notes that the inbox moves to the queue. Returns the number of events that the caller must drop.
    @inlinable
    mutating func moveOver() -> Int {
        queued += incoming - excess
        incoming = 0
        reported = 0
        defer { excess = 0 }
        return excess
    }

    /// Counts the room of `weight` events that have left the queue.
    @inlinable
    mutating func release(_ weight: Int) {
        queued -= weight
        excess -= min(excess, weight)
        released += UInt64(weight)
    }

    /// Whether an entry waits for room, or there is a watcher.
    @inlinable var isAwaited: Bool { hasWaits && !(waits.waiters.isEmpty && waits.watchers.isEmpty) }

    // MARK: - Entries that wait

    /// Adds an entry to those that wait. Returns its turn, a number that grows.
    @usableFromInline
    mutating func wait(_ item: Inbox<Event>.Item, _ ticket: RoomTicket) -> UInt64 {
        defer { waits.nextTurn += 1 }
        let turn = waits.nextTurn
        waits.waiters[turn] = Waiter(item: item, ticket: ticket, since: released)
        return turn
    }

    /// Whether the entry with this turn still waits.
    func isWaiting(_ turn: UInt64) -> Bool { waits.waiters[turn] != nil }

    /// Whether an item has room now.
    @inlinable
    func fits(_ item: Inbox<Event>.Item) -> Bool { count + item.weight <= limit }

    /// The entry that waits longest, if the mailbox can serve it now.
    ///
    /// A thread wakes once half of the room is free, or once that many events were taken since its wait
    /// began. To put a thread to sleep and wake it for each event would cost more than most steps.
    @inlinable
    mutating func nextToServe() -> (turn: UInt64, item: Inbox<Event>.Item)? {
        guard let (turn, item) = firstWaiting(), fits(item) else { return nil }
        guard let waiter = waits.waiters[turn], waiter.ticket.isBlocking else { return (turn, item) }
        return isWorthWaking(since: waiter.since) ? (turn, item) : nil
    }

    @inlinable
    func isWorthWaking(since: UInt64) -> Bool {
        let half = limit / 2
        return count <= half || released - since >= UInt64(half)
    }

    /// The entry that waits longest.
    @inlinable
    mutating func firstWaiting() -> (turn: UInt64, item: Inbox<Event>.Item)? {
        guard hasWaits else { return nil }
        guard !waits.waiters.isEmpty else {
            waits.firstTurn = waits.nextTurn
            return nil
        }
        while true {
            if let waiter = waits.waiters[waits.firstTurn] { return (waits.firstTurn, waiter.item) }
            waits.firstTurn += 1
        }
    }

    /// The turns of the items for which `matches` is true, in order.
    @usableFromInline
    func turns(where matches: (Inbox<Event>.Item) -> Bool) -> [UInt64] {
        waits.waiters.isEmpty ? [] : waits.waiters.filter { matches($0.value.item) }.keys.sorted()
    }

    /// Ends the wait of this turn; nil when it has ended already.
    @inlinable
    mutating func endWait(_ turn: UInt64, _ result: EmitResult) -> EndedWait? {
        guard hasWaits else { return nil }
        return waits.waiters.removeValue(forKey: turn).map { EndedWait(waiter: $0, result: result) }
    }

    // MARK: - Watchers

    /// Keeps a watcher.
    ///
    /// - Returns: its number; nil when half of the room is free already, `weight` events have room, and nobody
    ///   waits.
    mutating func watch(_ weight: Int, _ body: @escaping @Sendable () -> Void) -> UInt64? {
        let weight = min(weight, limit)
        let mustWait =
            count > limit / 2 || count + weight > limit || !waits.waiters.isEmpty || !waits.watchers.isEmpty
        // An empty mailbox frees no room, so nobody would call the watcher.
        guard mustWait, count > 0 else { return nil }
        if waits.watchers.isEmpty { waits.watchedSince = released }
        waits.lastWatcher += 1
        waits.watchers.append(Watcher(number: waits.lastWatcher, weight: weight, body: body))
        return waits.lastWatcher
    }

    /// Removes a watcher, and takes those out that it has held up.
    mutating func withdraw(watcher number: UInt64) -> [@Sendable () -> Void] {
        guard let index = waits.watchers.firstIndex(where: { $0.number == number }) else { return [] }
        waits.watchers.remove(at: index)
        return takeWatchers()
    }

    /// Takes watchers out when a thread that came with the first of them would wake, and no entry waits. A
    /// watcher whose events have no room yet holds up those after it.
    @inlinable
    mutating func takeWatchers() -> [@Sendable () -> Void] {
        guard hasWaits, !waits.watchers.isEmpty, waits.waiters.isEmpty,
            isWorthWaking(since: waits.watchedSince), hasRoom
        else { return [] }
        let taken = waits.watchers.prefix { count + $0.weight <= limit }.map(\.body)
        waits.watchers.removeFirst(taken.count)
        return taken
    }

    @inlinable
    mutating func takeAllWatchers() -> [@Sendable () -> Void] {
        guard hasWaits else { return [] }
        defer { waits.watchers = [] }
        return waits.watchers.map(\.body)
    }

    /// Ends all waits.
    @usableFromInline
    mutating func endAllWaits(_ result: EmitResult) -> [EndedWait] {
        turns { _ in true }.compactMap { endWait($0, result) }
    }
}
