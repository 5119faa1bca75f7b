/// What other threads leave for the thread that drains a loop, and whether there is such a thread: plain data
/// behind one lock.
@usableFromInline
struct Inbox<Event: Sendable>: Sendable {
    /// One thing left, in order.
    @usableFromInline
    enum Item: Sendable {
        /// An event from outside that has room in a bounded inbox.
        case event(Event)
        /// Events from outside, in order: of an unbounded inbox.
        case events(ContiguousArray<Event>)
        /// An entry of a run: an emission that is not part of a call on the loop's executor.
        indirect case emission(Event, rest: ContiguousArray<Event>?, RunSlot<Event>, number: UInt64)
        /// A pending run has finished.
        indirect case finished(RunSlot<Event>, number: UInt64, error: (any Error)?)
        /// A call elsewhere has returned.
        indirect case returned(RunSlot<Event>, number: UInt64, RunLedger.Outcome)
        /// A pending run asks for a further call.
        indirect case resumed(RunSlot<Event>, number: UInt64, RunTarget<Event>.Resumption)
        /// Something to do between two steps, also when the loop stops before.
        indirect case visit(@Sendable () -> Void)
        /// An emission of a run that is over: after its end (late), or just before (withdrawn). Left for
        /// observers only.
        indirect case dropped(Event, RunSlot<Event>, number: UInt64, isLate: Bool)
        /// An entry that a full mailbox dropped. Left for observers only.
        indirect case overflowed(Item)
    }

    @usableFromInline
    enum Phase: Sendable {
        /// Nothing to do; whoever leaves something has to get the loop going.
        case idle
        /// Scheduled or draining.
        case active
        /// Stopped, and done with it.
        case closed
    }

    @usableFromInline
    enum Answer: Sendable {
        case left
        /// Left, and the loop has to be scheduled.
        case wake
        case refused
    }

    /// What few inboxes have.
    @usableFromInline
    struct Annex: Sendable {
        @usableFromInline var runs = RunLedger()
        /// Of a bounded inbox.
        @usableFromInline var room: MailboxRoom<Event>?
        /// Of a loop whose place another one has taken.
        var successor: LoopSuccessor<Event>?

        @usableFromInline
        init(room: MailboxRoom<Event>? = nil) {
            self.room = room
        }
    }

    // In this order because of what an emitter looks at: see `Mailbox`.

    /// Events from outside that came after the last of the items: apart, so that a burst takes no more memory than its
    /// events.
    @usableFromInline var events: ContiguousArray<Event> = []
    @usableFromInline var phase = Phase.active
    @usableFromInline var stopReason: StopReason?
    /// Something else than events is among the items.
    @usableFromInline var hasNotices = false
    @usableFromInline var items: ContiguousArray<Item> = []
    /// None or one: most loops never need it, and an idle one should be small.
    @usableFromInline var annex: ContiguousArray<Annex> = []

    /// Of a bounded inbox only.
    @inlinable var room: MailboxRoom<Event> {
        _read { yield annex[0].room! }
        _modify { yield &annex[0].room! }
    }

    @inlinable var runs: RunLedger {
        _read {
            if annex.isEmpty { yield RunLedger() } else { yield annex[0].runs }
        }
        _modify {
            if annex.isEmpty { annex.append(Annex()) }
            yield &annex[0].runs
        }
    }

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { events.isEmpty && items.isEmpty }

    /// Leaves an event from outside, unless the loop stops.
    @inlinable
    mutating func leave(_ event: Event) -> Answer {
        guard stopReason == nil else { return .refused }
        events.append(event)
        if events.count == Self.many { setAside() }
        return callForAttention()
    }

    /// So many events are an item: an array that grew on would copy them all, again and again, with the lock held.
    @inlinable static var many: Int { 4 * EventQueue<Event>.few }

    /// Makes an item of the events, and room for as many.
    @inlinable @inline(never)
    mutating func setAside() {
        items.append(.events(events))
        events = []
        events.reserveCapacity(Self.many)
    }

    /// Leaves an item, unless the loop stops.
    @inlinable
    mutating func leave(_ item: Item) -> Answer {
        guard stopReason == nil else { return .refused }
        if !events.isEmpty {
            items.append(.events(events))
            events = []
        }
        items.append(item)
        return callForAttention()
    }

    @inlinable
    mutating func callForAttention() -> Answer {
        guard phase == .idle else { return .left }
        phase = .active
        return .wake
    }

    /// Leaves something that is not an event.
    @inlinable
    mutating func leaveNotice(_ item: Item) -> Answer {
        hasNotices = true
        return leave(item)
    }

    /// The draining thread has nothing to do; false when something was left meanwhile.
    @inlinable
    mutating func rest() -> Bool {
        guard isEmpty, stopReason == nil else { return false }
        phase = .idle
        return true
    }

    /// Makes the calling thread the one that drains, if there is none.
    @inlinable
    mutating func claim() -> Bool {
        guard phase == .idle else { return false }
        phase = .active
        return true
    }

    /// Begins to stop; nil when that has begun before.
    mutating func stop(_ reason: StopReason) -> (wakes: Bool, handlers: [RunLedger.Handler])? {
        guard stopReason == nil else { return nil }
        stopReason = reason
        let wakes = phase == .idle
        phase = .active
        return (wakes, annex.isEmpty ? [] : runs.cancelAll())
    }

    /// Counts what is left and `queued` as discarded; answers why the loop stops, and what is left, to be
    /// released outside the lock.
    mutating func discard(queued: Int) -> (reason: StopReason?, items: ContiguousArray<Item>) {
        var count = UInt64(queued + events.count)
        for item in items {
            switch item {
            case .event: count += 1
            case .events(let events): count += UInt64(events.count)
            case .emission(_, let rest, _, _): count += 1 + UInt64(rest?.count ?? 0)
            case .finished, .returned, .resumed, .visit, .dropped, .overflowed: break
            }
        }
        if count > 0 { runs.discarded += count }
        defer { (items, events) = ([], []) }
        return (stopReason, items + [.events(events)])
    }

    /// What a loop leaves to the one that takes its place.
    struct Estate: Sendable {
        /// In order; those who waited for room come last.
        var items: ContiguousArray<Item>
        /// To be resumed outside the lock.
        let waiters: [MailboxRoom<Event>.Settled]
        /// Of runs with which nothing goes on.
        let handlers: [RunLedger.Handler]
    }

    /// The loop that has taken the place of this one.
    var successor: LoopSuccessor<Event>? { annex.isEmpty ? nil : annex[0].successor }

    /// Ends the loop: what is said to it from now on goes to `successor`. Nil when it stops already.
    mutating func leave(
        to successor: LoopSuccessor<Event>, of places: [Int32: Int32]
    ) -> (estate: Estate, records: [RunKey: RunLedger.Record])? {
        guard stopReason == nil else { return nil }
        stopReason = .stopped
        let records = runs.takeRecords(of: places)
        annex[0].successor = successor
        let waiters = annex[0].room == nil ? [] : room.settleAll(.queued)
        defer { (items, events) = ([], []) }
        return (
            Estate(
                items: items + [.events(events)] + waiters.map(\.waiter.item), waiters: waiters,
                handlers: runs.cancelAll()), records
        )
    }

    /// Goes on with runs of another inbox, and with what that has counted.
    mutating func inherit(_ records: [RunKey: RunLedger.Record], from before: borrowing Inbox) {
        runs.add(records)
        guard !before.annex.isEmpty else { return }
        runs.addCounts(of: before.annex[0].runs)
        guard let room = before.annex[0].room, annex[0].room != nil else { return }
        self.room.dropped += room.dropped
        self.room.droppedRequests += room.droppedRequests
    }

    /// What runs have left to be released outside the lock.
    @inlinable
    mutating func takeLeftover() -> [RunLedger.Record] {
        annex.isEmpty ? [] : runs.takeLeftover()
    }

    /// What to call now that the loop is closed or one more effect has come to its end.
    @inlinable
    mutating func takeEnds() -> [@Sendable () -> Void] {
        guard phase == .closed, runs.isOver, !runs.ends.isEmpty else { return [] }
        defer { runs.ends = [] }
        return runs.ends
    }
}
