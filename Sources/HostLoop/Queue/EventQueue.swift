/// The loop's queue: plain data, owned by the thread that drains the loop.
///
/// It is a ring of entries at positions that only grow. One emission, or one synchronous call of an effect,
/// writes one entry: a first event and, rarely, a rest. The entries of one withdrawable run are linked, so
/// ending the run touches only these. A withdrawn entry stays as an empty entry until the head passes it. The
/// run that follows may fill it again (rule 10 of the loop).
@usableFromInline
struct EventQueue<Event> {
    @usableFromInline
    struct Entry {
        /// Nil once the event was withdrawn or taken.
        @usableFromInline var event: Event?
        /// The entry counts for the capacity of a bounded mailbox.
        @usableFromInline var isCounted: Bool
        /// The first event is also the first of the rest.
        @usableFromInline var restHasFirst = false
        /// Index of the slot that emitted the entry; -1 for an entry from outside.
        @usableFromInline var feedback: Int32
        @usableFromInline var rest: ContiguousArray<Event>?
        @usableFromInline var run: UInt64
        /// Position of the run's next entry, or 0. In an entry that is begun: the number of events of the
        /// rest that were taken.
        @usableFromInline var next: Int

        @inlinable
        init(event: Event?, feedback: Int32, run: UInt64) {
            self.event = event
            self.isCounted = false
            self.feedback = feedback
            self.rest = nil
            self.run = run
            self.next = 0
        }
    }

    @usableFromInline
    struct Taken {
        // The smallest property comes last. Between the others it makes the processor copy its neighbours in
        // pieces that differ from those it has just written, which stalls it.
        @usableFromInline let event: Event
        @usableFromInline let run: UInt64
        /// Position of the run's next entry, or 0; -1 for the later events of an entry that is begun.
        @usableFromInline let next: Int
        @usableFromInline let feedback: Int32

        @inlinable
        init(event: Event, feedback: Int32, run: UInt64, next: Int) {
            self.event = event
            self.feedback = feedback
            self.run = run
            self.next = next
        }
    }

    /// The inbox's other buffer of events.
    @usableFromInline var spare: ContiguousArray<Event> = []
    /// The count is zero or a power of two.
    @usableFromInline var ring: ContiguousArray<Entry> = []
    @usableFromInline var head = 1
    @usableFromInline var tail = 1

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { head == tail }

    /// Appends an entry. Returns its position, which is greater than 0.
    @inlinable @inline(__always)
    mutating func append(_ event: consuming Event, feedback: Int32, run: UInt64) -> Int {
        if tail &- head == ring.count { grow() }
        let position = tail
        tail = position &+ 1
        fill(position, with: consume event, feedback: feedback, run: run)
        return position
    }

    /// Up to this number, events that are appended together become separate entries.
    @inlinable static var separateLimit: Int { 1024 }

    /// Appends events from outside. If there are many, they become the rest of one entry: they are not copied
    /// and need no more memory.
    @inlinable
    mutating func append(contentsOf events: ContiguousArray<Event>) {
        if events.count <= Self.separateLimit {
            for event in events { _ = append(event, feedback: -1, run: 0) }
        } else {
            let position = append(events[0], feedback: -1, run: 0)
            ring[position & (ring.count &- 1)].rest = events
            ring[position & (ring.count &- 1)].restHasFirst = true
        }
    }

    /// Appends the events of `spare`, which is empty afterwards.
    @inlinable
    mutating func appendSpare() {
        var events: ContiguousArray<Event> = []
        swap(&events, &spare)
        append(contentsOf: events)
        if events.count <= Self.separateLimit { keepBuffer(&events) }
    }

    /// Keeps the buffer of `events`, which were all taken, unless `spare` has a buffer.
    @inlinable
    mutating func keepBuffer(_ events: inout ContiguousArray<Event>) {
        guard spare.capacity == 0 else { return }
        events.removeAll(keepingCapacity: true)
        swap(&events, &spare)
    }

    /// Fills an empty entry, for example one that was withdrawn in this step.
    ///
    /// It writes the properties one by one, since an empty entry has nothing to release.
    @inlinable @inline(__always)
    mutating func fill(_ position: Int, with event: consuming Event, feedback: Int32, run: UInt64) {
        let index = position & (ring.count &- 1)
        ring[index].event = consume event
        ring[index].isCounted = false
        ring[index].restHasFirst = false
        ring[index].feedback = feedback
        ring[index].run = run
        ring[index].next = 0
    }

    /// Adds an event to the entry at `position`, which is not begun.
    @inlinable
    mutating func extend(_ position: Int, with event: Event) {
        let index = position & (ring.count &- 1)
        var rest = ring[index].rest.take() ?? []
        rest.append(event)
        ring[index].rest = rest
    }

    /// Makes `next` the entry that follows the one at `position` in its run.
    @inlinable
    mutating func link(_ position: Int, to next: Int) {
        ring[position & (ring.count &- 1)].next = next
    }

    /// Whether no entry is begun: the last event that was taken was the last one of its entry.
    @inlinable var isBetweenEntries: Bool {
        guard head != tail else { return true }
        let index = head & (ring.count &- 1)
        return ring[index].event != nil || ring[index].rest == nil
    }

    /// The number of events in the entry at `position`, which is not begun.
    @inlinable
    func count(at position: Int) -> Int {
        let index = position & (ring.count &- 1)
        return (ring[index].event == nil ? 0 : 1) + (ring[index].rest?.count ?? 0)
    }

    /// The slot that emitted the next event, or -1; nil if there is no event.
    @inlinable
    mutating func nextFeedback() -> Int32? {
        while head != tail {
            let index = head & (ring.count &- 1)
            guard ring[index].event == nil, ring[index].rest == nil else { return ring[index].feedback }
            head &+= 1
        }
        return nil
    }

    /// Takes the next event out.
    @inlinable @inline(__always)
    mutating func take() -> Taken? {
        while head != tail {
            let index = head & (ring.count &- 1)
            guard let event = ring[index].event.take() else {
                if ring[index].rest != nil { return takeBegun(index) }
                head &+= 1
                continue
            }
            let taken = Taken(
                event: event, feedback: ring[index].feedback, run: ring[index].run, next: ring[index].next)
            if ring[index].rest == nil {
                head &+= 1
            } else {
                ring[index].next = ring[index].restHasFirst ? 1 : 0
            }
            return taken
        }
        return nil
    }

    /// Takes the next event from the rest of the head entry, which is begun. The entry stays at the head and
    /// is no longer linked to a run; its `next` counts the events that were taken.
    @inlinable @inline(__always)
    mutating func takeBegun(_ index: Int) -> Taken {
        let taken = ring[index].next
        let event = ring[index].rest![taken]
        ring[index].next = taken + 1
        if taken + 1 == ring[index].rest!.count { endRest(index) }
        return Taken(event: event, feedback: ring[index].feedback, run: ring[index].run, next: -1)
    }

    /// Frees the rest of the head entry, whose events were all taken.
    @inlinable @inline(never)
    mutating func endRest(_ index: Int) {
        var events = ring[index].rest.take()!
        keepBuffer(&events)
        head &+= 1
    }

    /// Puts back the event that was taken last, as the new head. The queue must not have changed since.
    /// Returns its position.
    mutating func requeue(_ taken: Taken) -> Int {
        let isBegun = head != tail && self[head].event == nil && self[head].rest != nil
        if !isBegun { head &-= 1 }
        switch (isBegun, taken.next < 0) {
        case (true, true): self[head].next -= 1
        case (false, true): (self[head].rest, self[head].next) = ([taken.event], 0)
        case (_, false): (self[head].event, self[head].next) = (taken.event, taken.next)
        }
        // The room of the event was freed when it was taken.
        self[head].isCounted = false
        return head
    }

    private subscript(_ position: Int) -> Entry {
        get { ring[position & (ring.count &- 1)] }
        set { ring[position & (ring.count &- 1)] = newValue }
    }

    /// Withdraws the linked entries from `first` on. Returns the number of their events.
    @inlinable
    mutating func withdraw(from first: Int, _ each: (Event) -> Void) -> Int {
        var position = first
        var count = 0
        while position != 0 {
            let index = position & (ring.count &- 1)
            if let event = ring[index].event.take() {
                count += 1
                each(event)
            }
            for event in ring[index].rest.take() ?? [] {
                count += 1
                each(event)
            }
            position = ring[index].next
        }
        return count
    }

    /// Empties the queue. Returns the number of events that it held.
    @inlinable
    mutating func discard() -> Int {
        var count = 0
        while take() != nil { count += 1 }
        (ring, spare) = ([], [])
        return count
    }

    /// Frees the memory of a burst; the queue must be empty.
    @inlinable
    mutating func trim(to most: Int) {
        if ring.count > most { ring = [] }
        if spare.capacity > most { spare = [] }
    }

    @inlinable @inline(never)
    mutating func grow() {
        let capacity = max(4, ring.count * 2)
        var larger = ContiguousArray(repeating: Entry(event: nil, feedback: -1, run: 0), count: capacity)
        for position in head..<tail {
            swap(&larger[position & (capacity - 1)], &ring[position & (ring.count - 1)])
        }
        ring = larger
    }
}
