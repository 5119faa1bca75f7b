/// Items that other threads add for the thread that drains a loop, and whether such a thread is active. Plain
/// data behind one lock.
@usableFromInline
struct Inbox<Event: Sendable>: Sendable {
    /// One item; items stay in order.
    @usableFromInline
    enum Item: Sendable {
        /// An event from outside, in a bounded inbox that had room for it.
        case event(Event)
        /// Events from outside, in order, in an unbounded inbox.
        case events(ContiguousArray<Event>)
        /// An entry of a run, emitted outside of a call on the loop's executor.
        case emission(Event, rest: ContiguousArray<Event>?, RunSlot<Event>, number: UInt64)
        /// A pending run has finished.
        indirect case finished(RunSlot<Event>, number: UInt64, error: (any Error)?)
        /// A call on another executor has returned.
        indirect case returned(RunSlot<Event>, number: UInt64, RunTable.Outcome)
        /// A pending run asks for another call.
        indirect case resumed(RunSlot<Event>, number: UInt64, @Sendable () throws -> EffectStatus)
        /// A function to call between two steps, or when the loop stops before that.
        indirect case callback(@Sendable () -> Void)
        /// For observers only: an emission of a run that has ended. A late emission came after the end. A
        /// withdrawn one came before it.
        indirect case dropped(Event, RunSlot<Event>, number: UInt64, isLate: Bool)
        /// For observers only: an entry that a full mailbox has dropped.
        indirect case overflowed(Item)
    }

    @usableFromInline
    enum Phase: Sendable {
        /// The loop has nothing to do. The thread that adds an item must schedule the loop.
        case idle
        /// The loop is scheduled, or a thread drains it.
        case active
        /// The loop has stopped and is closed.
        case closed
    }

    @usableFromInline
    enum Answer: Sendable {
        case added
        /// Added, and the caller must schedule the loop.
        case wake
        case refused
    }

    /// State that a loop without runs and without a bounded mailbox does not need, allocated on demand.
    @usableFromInline
    struct Extras: Sendable, Blank {
        /// Added before the events beside them.
        @usableFromInline var items: ContiguousArray<Item> = []
        @usableFromInline var runs = RunTable()
        /// Set in a bounded inbox.
        @usableFromInline var room: MailboxRoom<Event>?
        @usableFromInline var rarities = OnDemand<Rarities>()

        @usableFromInline
        init() {}
    }

    /// Rarely used state.
    @usableFromInline
    struct Rarities: Sendable, Blank {
        /// Events that were emitted by runs after their end.
        @usableFromInline var late: UInt64 = 0
        /// Events that were withdrawn with their runs.
        @usableFromInline var withdrawn: UInt64 = 0
        /// Events that were queued when the loop stopped.
        @usableFromInline var discarded: UInt64 = 0
        /// Events that came after the stop.
        @usableFromInline var refused: UInt64 = 0
        /// Runs that the stop has cancelled and that observers do not know of yet.
        var cancelledByStop: [RunKey] = []
        /// Functions to call when the loop has stopped and no run is left.
        @usableFromInline var endHandlers: [@Sendable () -> Void] = []
        /// The runs and flows that can be cancelled by an id.
        var cancellationIDs: CancellationIDs?
        /// Set when another loop has taken over.
        var successor: LoopSuccessor<Event>?

        @inlinable
        init() {}
    }

    // In the order in which an emitter reads them: see `Door`.

    /// Events from outside that came after the last item. They are stored separately, so that a burst takes
    /// no more memory than its events.
    @usableFromInline var events: ContiguousArray<Event> = []
    @usableFromInline var phase = Phase.active
    @usableFromInline var stopReason: StopReason?
    /// Some item is not an event.
    @usableFromInline var hasNotices = false
    @usableFromInline var extrasOnDemand = OnDemand<Extras>()

    @inlinable var hasExtras: Bool { extrasOnDemand.exists }

    @inlinable var extras: Extras {
        _read { yield extrasOnDemand.value }
        _modify { yield &extrasOnDemand.value }
    }

    @inlinable var rarities: Rarities {
        _read { yield extras.rarities.value }
        _modify { yield &extras.rarities.value }
    }

    @inlinable var hasRarities: Bool { hasExtras && extrasOnDemand.storage[0].rarities.exists }

    @inlinable var items: ContiguousArray<Item> {
        _read {
            if hasExtras { yield extrasOnDemand.storage[0].items } else { yield[] }
        }
        _modify { yield &extras.items }
    }

    @inlinable var runs: RunTable {
        _read { yield extras.runs }
        _modify { yield &extras.runs }
    }

    /// Whether the inbox is bounded. It reads in place: in a debug build the compiler compares `extras.room` with nil after
    /// it has freed the memory that `extras` was read into.
    @inlinable var hasRoom: Bool { hasExtras && extrasOnDemand.storage[0].room != nil }

    /// Exists only in a bounded inbox.
    @inlinable var room: MailboxRoom<Event> {
        _read { yield extrasOnDemand.storage[0].room! }
        _modify { yield &extrasOnDemand.storage[0].room! }
    }

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { events.isEmpty && items.isEmpty }

    /// Takes the items out.
    @inlinable
    mutating func takeItems() -> ContiguousArray<Item> {
        guard hasExtras, !items.isEmpty else { return [] }
        defer { items = [] }
        return items
    }

    /// Adds an event from outside, unless the loop stops.
    @inlinable
    mutating func add(_ event: Event) -> Answer {
        guard stopReason == nil else { return .refused }
        events.append(event)
        if events.count == Self.segmentSize { closeSegment() }
        return activate()
    }

    /// This many events become one item. A longer array would be copied again and again as it grows, with the
    /// lock held.
    @inlinable static var segmentSize: Int { 4 * EventQueue<Event>.separateLimit }

    /// Turns the events into an item, and reserves room for as many new ones.
    @inlinable @inline(never)
    mutating func closeSegment() {
        items.append(.events(events))
        events = []
        events.reserveCapacity(Self.segmentSize)
    }

    /// Adds an item, unless the loop stops.
    @inlinable
    mutating func add(_ item: Item) -> Answer {
        guard stopReason == nil else { return .refused }
        if !events.isEmpty {
            items.append(.events(events))
            events = []
        }
        items.append(item)
        return activate()
    }

    @inlinable
    mutating func activate() -> Answer {
        guard phase == .idle else { return .added }
        phase = .active
        return .wake
    }

    /// Adds an item that is not an event.
    @inlinable
    mutating func addNotice(_ item: Item) -> Answer {
        hasNotices = true
        return add(item)
    }

    /// Makes the loop idle, as the draining thread has nothing to do. Returns false when an item was added
    /// meanwhile.
    @inlinable
    mutating func rest() -> Bool {
        guard isEmpty, stopReason == nil else { return false }
        phase = .idle
        return true
    }

    /// Makes the calling thread the draining thread, unless there is one.
    @inlinable
    mutating func claim() -> Bool {
        guard phase == .idle else { return false }
        phase = .active
        return true
    }

    /// Begins to stop. Returns nil when the stop has begun before.
    mutating func stop(_ reason: StopReason) -> (wakes: Bool, handlers: [CancelHandler])? {
        guard stopReason == nil else { return nil }
        stopReason = reason
        let wakes = phase == .idle
        phase = .active
        guard hasExtras else { return (wakes, []) }
        let (keys, handlers) = runs.cancelAll()
        if !keys.isEmpty { rarities.cancelledByStop = keys }
        return (wakes, handlers)
    }

    /// Counts the items and `queued` as discarded. Returns the reason for the stop, and the items, which the
    /// caller must release outside the lock.
    mutating func discard(queued: Int) -> (reason: StopReason?, items: ContiguousArray<Item>) {
        let count = items.reduce(queued + events.count) { $0 + $1.weight }
        if count > 0 { rarities.discarded += UInt64(count) }
        defer { events = [] }
        return (stopReason, takeItems() + [.events(events)])
    }

    /// Returns the runs that the stop has cancelled, and forgets them.
    mutating func takeCancelledByStop() -> [RunKey] {
        guard hasRarities else { return [] }
        defer { rarities.cancelledByStop = [] }
        return rarities.cancelledByStop
    }

    /// Returns the functions to call if the loop is closed and its last effect has ended.
    @inlinable
    mutating func takeEndHandlers() -> [@Sendable () -> Void] {
        guard phase == .closed, hasRarities, runs.isOver, !rarities.endHandlers.isEmpty else { return [] }
        defer { rarities.endHandlers = [] }
        return rarities.endHandlers
    }
}
