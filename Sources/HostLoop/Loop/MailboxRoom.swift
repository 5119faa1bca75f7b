/// How full a bounded mailbox is, and who waits for room: plain data behind the lock of the inbox.
@usableFromInline
struct MailboxRoom<Event: Sendable>: Sendable {
    /// A `send`, or a thread, that waits.
    @usableFromInline
    struct Waiter: Sendable {
        @usableFromInline let item: Inbox<Event>.Item
        /// Nil until the task has come so far as to be suspended.
        @usableFromInline var continuation: CheckedContinuation<EmitResult, Never>?
        /// Nil for a task.
        @usableFromInline let thread: RoomWait?
        /// The value of `released` when the wait began.
        @usableFromInline let since: UInt64
    }

    /// One who waited and has the answer; to be resumed outside the lock.
    @usableFromInline
    struct Settled: Sendable {
        @usableFromInline let waiter: Waiter
        @usableFromInline let result: EmitResult

        @inlinable
        init(waiter: Waiter, result: EmitResult) {
            self.waiter = waiter
            self.result = result
        }

        @usableFromInline
        func resume() {
            waiter.continuation?.resume(returning: result)
            waiter.thread?.settle(result)
        }
    }

    @usableFromInline let limit: Int
    @usableFromInline let overflow: MailboxCapacity.Overflow
    /// Of the dropped events, so many are kept between two steps to be told to observers.
    @usableFromInline let tells: Int
    /// Counted events in the inbox.
    @usableFromInline var left = 0
    /// Counted events in the queue, those of a begun entry left out.
    @usableFromInline var queued = 0
    /// Of both, so many are to be dropped. Only the draining thread may touch the queue, so a drop is owed
    /// until it moves the inbox over; room that comes free meanwhile pays for it.
    @usableFromInline var owed = 0
    @usableFromInline var dropped: UInt64 = 0
    var droppedRequests: UInt64 = 0
    @usableFromInline var told = 0
    /// Events that ever left the queue.
    @usableFromInline var released: UInt64 = 0

    @usableFromInline var waiters: [UInt64: Waiter] = [:]
    /// Answers that came before their task was suspended.
    @usableFromInline var answers: [UInt64: EmitResult] = [:]
    @usableFromInline var firstTicket: UInt64 = 0
    @usableFromInline var nextTicket: UInt64 = 0

    init(limit: Int, overflow: MailboxCapacity.Overflow, isObserved: Bool) {
        self.limit = limit
        self.overflow = overflow
        tells = isObserved ? limit : 0
    }

    @inlinable var count: Int { left + queued - owed }
    @inlinable var hasRoom: Bool { count < limit }

    /// The inbox is moved over to the queue; answers how many events have to be dropped on the way.
    @inlinable
    mutating func moveOver() -> Int {
        queued += left - owed
        left = 0
        told = 0
        defer { owed = 0 }
        return owed
    }

    /// So many events have left the queue.
    @inlinable
    mutating func release(_ weight: Int) {
        queued -= weight
        owed -= min(owed, weight)
        released += UInt64(weight)
    }

    // MARK: - Those who wait

    /// Keeps an item for later, of a task or of the thread that waits; the ticket names it.
    mutating func wait(_ item: Inbox<Event>.Item, thread: RoomWait? = nil) -> UInt64 {
        defer { nextTicket += 1 }
        waiters[nextTicket] = Waiter(item: item, thread: thread, since: released)
        return nextTicket
    }

    /// Whether the ticket has no answer yet.
    func isWaiting(_ ticket: UInt64) -> Bool { waiters[ticket] != nil }

    /// Whether an item has room now.
    @inlinable
    func fits(_ item: Inbox<Event>.Item) -> Bool { count + item.weight <= limit }

    /// The task of the ticket is suspended; its answer if that has come already.
    mutating func suspend(
        _ continuation: CheckedContinuation<EmitResult, Never>, _ ticket: UInt64
    ) -> EmitResult? {
        waiters[ticket]?.continuation = continuation
        return answers.removeValue(forKey: ticket)
    }

    /// The ticket that waits longest, if its turn has come.
    ///
    /// A thread is woken once half of the room is free, or as many events were taken as that is: to put it to sleep and
    /// wake it for each event would cost more than most steps.
    @inlinable
    mutating func nextToServe() -> (ticket: UInt64, item: Inbox<Event>.Item)? {
        guard let (ticket, item) = first(), fits(item) else { return nil }
        guard let waiter = waiters[ticket], waiter.thread != nil else { return (ticket, item) }
        let half = limit / 2
        return count <= half || released - waiter.since >= UInt64(half) ? (ticket, item) : nil
    }

    /// The ticket that waits longest.
    @inlinable
    mutating func first() -> (ticket: UInt64, item: Inbox<Event>.Item)? {
        guard !waiters.isEmpty else {
            firstTicket = nextTicket
            return nil
        }
        while true {
            if let waiter = waiters[firstTicket] { return (firstTicket, waiter.item) }
            firstTicket += 1
        }
    }

    /// The tickets whose items `isMeant`, in order.
    @usableFromInline
    func tickets(where isMeant: (Inbox<Event>.Item) -> Bool) -> [UInt64] {
        waiters.isEmpty ? [] : waiters.filter { isMeant($0.value.item) }.keys.sorted()
    }

    /// Answers the ticket; nil when it has its answer.
    @inlinable
    mutating func settle(_ ticket: UInt64, _ result: EmitResult) -> Settled? {
        guard let waiter = waiters.removeValue(forKey: ticket) else { return nil }
        if waiter.thread == nil, waiter.continuation == nil { answers[ticket] = result }
        return Settled(waiter: waiter, result: result)
    }

    /// Answers all.
    @usableFromInline
    mutating func settleAll(_ result: EmitResult) -> [Settled] {
        tickets { _ in true }.compactMap { settle($0, result) }
    }
}
