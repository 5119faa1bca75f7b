/// How full a bounded mailbox is, and who waits for room: plain data behind the lock of the inbox.
@usableFromInline
struct MailboxRoom<Event: Sendable>: Sendable {
    /// A `send` that waits.
    struct Waiter: Sendable {
        /// The event, or the emission of one event.
        let item: Inbox<Event>.Item
        /// Nil until the task has come so far as to be suspended.
        var continuation: CheckedContinuation<EmitResult, Never>?
    }

    /// A `send` that has its answer; to be resumed outside the lock.
    struct Settled: Sendable {
        let waiter: Waiter
        let result: EmitResult

        func resume() { waiter.continuation?.resume(returning: result) }
    }

    let limit: Int
    let overflow: MailboxCapacity.Overflow
    /// Of the dropped events, so many are kept between two steps to be told to observers.
    let tells: Int
    /// Counted events in the inbox.
    var left = 0
    /// Counted events in the queue, those of a begun entry left out.
    var queued = 0
    /// Of both, so many are to be dropped. Only the draining thread may touch the queue, so a drop is owed
    /// until it moves the inbox over; room that comes free meanwhile pays for it.
    var owed = 0
    var dropped: UInt64 = 0
    var droppedRequests: UInt64 = 0
    var told = 0

    private var waiters: [UInt64: Waiter] = [:]
    /// Answers that came before their task was suspended.
    private var answers: [UInt64: EmitResult] = [:]
    private var firstTicket: UInt64 = 0
    private var nextTicket: UInt64 = 0

    init(limit: Int, overflow: MailboxCapacity.Overflow, isObserved: Bool) {
        self.limit = limit
        self.overflow = overflow
        tells = isObserved ? limit : 0
    }

    var count: Int { left + queued - owed }
    var hasRoom: Bool { count < limit }

    /// The inbox is moved over to the queue; answers how many events have to be dropped on the way.
    @usableFromInline
    mutating func moveOver() -> Int {
        queued += left - owed
        left = 0
        told = 0
        defer { owed = 0 }
        return owed
    }

    /// So many events have left the queue.
    mutating func release(_ weight: Int) {
        queued -= weight
        owed -= min(owed, weight)
    }

    // MARK: - Those who wait

    /// Keeps an item for later; the ticket names it.
    mutating func wait(_ item: Inbox<Event>.Item) -> UInt64 {
        defer { nextTicket += 1 }
        waiters[nextTicket] = Waiter(item: item)
        return nextTicket
    }

    /// The task of the ticket is suspended; its answer if that has come already.
    mutating func suspend(
        _ continuation: CheckedContinuation<EmitResult, Never>, _ ticket: UInt64
    ) -> EmitResult? {
        waiters[ticket]?.continuation = continuation
        return answers.removeValue(forKey: ticket)
    }

    /// The ticket that waits longest.
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
    func tickets(where isMeant: (Inbox<Event>.Item) -> Bool) -> [UInt64] {
        waiters.isEmpty ? [] : waiters.filter { isMeant($0.value.item) }.keys.sorted()
    }

    /// Answers the ticket; nil when it has its answer.
    mutating func settle(_ ticket: UInt64, _ result: EmitResult) -> Settled? {
        guard let waiter = waiters.removeValue(forKey: ticket) else { return nil }
        if waiter.continuation == nil { answers[ticket] = result }
        return Settled(waiter: waiter, result: result)
    }

    /// Answers all.
    mutating func settleAll(_ result: EmitResult) -> [Settled] {
        tickets { _ in true }.compactMap { settle($0, result) }
    }
}
