/// The loop that continues another one. It gets the calls on the runs and emitters of that loop.
@usableFromInline
final class LoopSuccessor<Event: Sendable>: Sendable {
    /// The slot that continues the runs of a slot in the previous loop.
    @usableFromInline
    struct Continuation: Sendable {
        @usableFromInline let slot: RunSlot<Event>
        private let event: @Sendable (Event) -> Event?

        init(_ slot: RunSlot<Event>, _ event: @escaping @Sendable (Event) -> Event?) {
            (self.slot, self.event) = (slot, event)
        }

        @usableFromInline var door: Door<Event> { slot.door }

        /// Translates an emission for this loop. Events without a meaning in this loop are counted as
        /// discarded; nil if no event is left.
        func translated(_ event: Event, _ rest: ContiguousArray<Event>?) -> (Event, ContiguousArray<Event>?)?
        {
            let events = ([event] + (rest ?? [])).compactMap(self.event)
            let discarded = 1 + (rest?.count ?? 0) - events.count
            if discarded > 0 { door.inbox.withLock { $0.rarities.discarded += UInt64(discarded) } }
            guard let first = events.first else { return nil }
            return (first, events.count == 1 ? nil : ContiguousArray(events.dropFirst()))
        }
    }

    let door: Door<Event>
    // By the index of the slot in the previous loop.
    private let slots: [Int32: RunSlot<Event>]
    private let event: @Sendable (Event) -> Event?

    init(
        _ door: Door<Event>, slots: [Int32: RunSlot<Event>],
        event: @escaping @Sendable (Event) -> Event?
    ) {
        (self.door, self.slots, self.event) = (door, slots, event)
    }

    /// The slot that continues the runs of a slot in the previous loop; nil when these have ended.
    func continuation(of slot: RunSlot<Event>) -> Continuation? {
        slots[slot.index].map { Continuation($0, event) }
    }

    /// Queues an event from outside.
    func emit(_ event: Event) -> EmitResult {
        guard let translated = self.event(event) else {
            door.inbox.withLock { $0.rarities.discarded += 1 }
            return .stopped
        }
        return door.emit(translated)
    }

    /// Queues an event from outside. If there is no room, the event waits with the ticket.
    func emit(_ event: Event, waiting ticket: RoomTicket) -> EmitResult? {
        guard let translated = self.event(event) else {
            door.inbox.withLock { $0.rarities.discarded += 1 }
            return .stopped
        }
        return door.emit(translated, waiting: ticket)
    }
}

/// Maps a loop to the loop that continues it. Both have the same types, but their states and events may have
/// different meanings.
package struct LoopSuccession<Event: Sendable>: Sendable {
    /// The index of the feedback that continues the runs of a feedback, by the index of the latter in the
    /// previous loop.
    ///
    /// Both must have the same trigger, strategy and executor. A feedback with keys must be made with the
    /// requests of the previous one; otherwise its runs start again.
    package let feedbacks: [Int: Int]
    /// Translates an event of the previous loop; nil when it has no meaning in this one. Such an event is
    /// counted as discarded, and its emitter gets `.stopped`. Called on any thread.
    package let event: @Sendable (Event) -> Event?

    /// Makes the map.
    package init(feedbacks: [Int: Int], event: @escaping @Sendable (Event) -> Event?) {
        (self.feedbacks, self.event) = (feedbacks, event)
    }
}
