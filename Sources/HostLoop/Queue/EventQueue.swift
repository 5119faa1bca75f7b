/// The loop's queue: plain data, owned by the thread that drains the loop.
///
/// A ring of entries at ever growing positions. An entry is what one emission, or one synchronous call of an
/// effect, put in: a first event and, rarely, a rest. The entries of one withdrawable run are linked, so that
/// ending the run touches these and no others; what it takes back stays as an empty entry until the head
/// passes it, and may be filled again by the run that follows (rule 10 of the loop).
@usableFromInline
struct EventQueue<Event> {
    @usableFromInline
    struct Entry {
        /// Nil in an entry that was withdrawn or taken.
        @usableFromInline var event: Event?
        /// It counts for the capacity of a bounded mailbox.
        @usableFromInline var isCounted: Bool
        /// The first event is also the first of the rest.
        @usableFromInline var restHasFirst = false
        /// Place of the feedback that emitted, or -1: from outside.
        @usableFromInline var feedback: Int32
        @usableFromInline var rest: ContiguousArray<Event>?
        @usableFromInline var run: UInt64
        /// Position of the run's next entry, or 0; of an entry that was begun, how many of the rest were
        /// taken.
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
        // The small one last: in between, it has the processor copy what lies around it in pieces that it has just written
        // otherwise, which stalls it.
        @usableFromInline let event: Event
        @usableFromInline let run: UInt64
        /// The run's next entry, or 0; -1 for the later events of an entry that is begun.
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
    /// Its count is zero or a power of two.
    @usableFromInline var ring: ContiguousArray<Entry> = []
    @usableFromInline var head = 1
    @usableFromInline var tail = 1

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { head == tail }

    /// Appends an entry and answers its position, which is greater than 0.
    @inlinable @inline(__always)
    mutating func append(_ event: consuming Event, feedback: Int32, run: UInt64) -> Int {
        if tail &- head == ring.count { grow() }
        let position = tail
        tail = position &+ 1
        fill(position, with: consume event, feedback: feedback, run: run)
        return position
    }

    /// Up to so many events are entries of their own when they are appended together.
    @inlinable static var separateLimit: Int { 1024 }

    /// Appends events from outside. Many become the rest of one entry, so that they are neither copied nor take more
    /// memory than they have.
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

    /// Appends the events of `spare`, and makes it empty.
    @inlinable
    mutating func appendSpare() {
        var events: ContiguousArray<Event> = []
        swap(&events, &spare)
        append(contentsOf: events)
        if events.count <= Self.separateLimit { keepBuffer(&events) }
    }

    /// Keeps the buffer of `events`, which were taken, unless there is one.
    @inlinable
    mutating func keepBuffer(_ events: inout ContiguousArray<Event>) {
        guard spare.capacity == 0 else { return }
        events.removeAll(keepingCapacity: true)
        swap(&events, &spare)
    }

    /// Writes an entry in the place of an empty one: of one that was withdrawn in this step, for instance.
    ///
    /// One by one, since what an empty entry has need not be released.
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

    /// Takes the next of the rest of the entry at the head, which was begun: it stays there, linked to no run
    /// any more, with `next` counting what was taken.
    @inlinable
    mutating func takeBegun(_ index: Int) -> Taken? {
        let taken = ring[index].next
        let event = ring[index].rest![taken]
        ring[index].next = taken + 1
        if taken + 1 == ring[index].rest!.count {
            var events = ring[index].rest.take()!
            keepBuffer(&events)
            head &+= 1
        }
        return Taken(event: event, feedback: ring[index].feedback, run: ring[index].run, next: -1)
    }

    /// Puts back what was taken last, before anything else is done with the queue; answers its position.
    mutating func requeue(_ taken: Taken) -> Int {
        let isBegun = head != tail && self[head].event == nil && self[head].rest != nil
        if !isBegun { head &-= 1 }
        switch (isBegun, taken.next < 0) {
        case (true, true): self[head].next -= 1
        case (false, true): (self[head].rest, self[head].next) = ([taken.event], 0)
        case (_, false): (self[head].event, self[head].next) = (taken.event, taken.next)
        }
        // Its room was given back.
        self[head].isCounted = false
        return head
    }

    private subscript(_ position: Int) -> Entry {
        get { ring[position & (ring.count &- 1)] }
        set { ring[position & (ring.count &- 1)] = newValue }
    }

    /// Takes back the linked entries from `first` on; answers how many events that were.
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

    /// Empties the queue; answers how many events it held.
    @inlinable
    mutating func discard() -> Int {
        var count = 0
        while take() != nil { count += 1 }
        (ring, spare) = ([], [])
        return count
    }

    /// Gives back the memory of a burst; the queue must be empty.
    @inlinable
    mutating func trim() {
        if ring.count > 64 { ring = [] }
        if spare.capacity > 64 { spare = [] }
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
