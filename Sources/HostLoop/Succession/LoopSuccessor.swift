/// The loop that has taken the place of another one: what runs and emitters say to that goes there.
@usableFromInline
final class LoopSuccessor<Event: Sendable>: Sendable {
    /// What goes on with a run.
    @usableFromInline
    struct Continuation: Sendable {
        @usableFromInline let slot: RunSlot<Event>
        private let event: @Sendable (Event) -> Event?

        init(_ slot: RunSlot<Event>, _ event: @escaping @Sendable (Event) -> Event?) {
            (self.slot, self.event) = (slot, event)
        }

        @usableFromInline var door: Door<Event> { slot.door }

        /// An emission as the loop takes it; what it is there is told with one that means nothing there: it is discarded.
        func translated(_ event: Event, _ rest: ContiguousArray<Event>?) -> (Event, ContiguousArray<Event>?)?
        {
            let events = ([event] + (rest ?? [])).compactMap(self.event)
            let discarded = 1 + (rest?.count ?? 0) - events.count
            if discarded > 0 { door.inbox.withLock { $0.extras.discarded += UInt64(discarded) } }
            guard let first = events.first else { return nil }
            return (first, events.count == 1 ? nil : ContiguousArray(events.dropFirst()))
        }
    }

    let door: Door<Event>
    // By the index of a slot of the loop before.
    private let slots: [Int32: RunSlot<Event>]
    private let event: @Sendable (Event) -> Event?

    init(
        _ door: Door<Event>, slots: [Int32: RunSlot<Event>],
        event: @escaping @Sendable (Event) -> Event?
    ) {
        (self.door, self.slots, self.event) = (door, slots, event)
    }

    /// What goes on with the runs of a slot of the loop before; nil: they were ended.
    func continuation(of slot: RunSlot<Event>) -> Continuation? {
        slots[slot.index].map { Continuation($0, event) }
    }

    /// Takes an event from outside.
    func emit(_ event: Event) -> EmitResult {
        guard let translated = self.event(event) else {
            door.inbox.withLock { $0.extras.discarded += 1 }
            return .stopped
        }
        return door.emit(translated)
    }

    /// Takes an event from outside; an event that finds no room waits with the ticket.
    func emit(_ event: Event, waiting ticket: RoomTicket) -> EmitResult? {
        guard let translated = self.event(event) else {
            door.inbox.withLock { $0.extras.discarded += 1 }
            return .stopped
        }
        return door.emit(translated, waiting: ticket)
    }
}

/// How a loop takes the place of another one of the same types, whose states and events may mean other things.
package struct LoopSuccession<Event: Sendable>: Sendable {
    /// By the place of a feedback of the loop before: that of the feedback which goes on with its runs. Both have the same trigger,
    /// strategy and executor; one with keys is made with what the one before was asked for, or begins anew.
    package let feedbacks: [Int: Int]
    /// What an event of the loop before is in this one; nil: nothing; then it is counted as discarded, and whoever emits it is
    /// answered that the loop has stopped. Called on any thread.
    package let event: @Sendable (Event) -> Event?

    /// Describes how.
    package init(feedbacks: [Int: Int], event: @escaping @Sendable (Event) -> Event?) {
        (self.feedbacks, self.event) = (feedbacks, event)
    }
}
