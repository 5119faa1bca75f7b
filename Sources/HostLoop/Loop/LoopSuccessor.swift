/// The loop that has taken the place of another one: what runs and emitters say to that goes there.
@usableFromInline
final class LoopSuccessor<Event: Sendable>: Sendable {
    /// What goes on with a run.
    @usableFromInline
    struct Heir: Sendable {
        @usableFromInline let slot: RunSlot<Event>
        private let event: @Sendable (Event) -> Event?

        init(_ slot: RunSlot<Event>, _ event: @escaping @Sendable (Event) -> Event?) {
            (self.slot, self.event) = (slot, event)
        }

        @usableFromInline var mailbox: Mailbox<Event> { slot.mailbox }

        /// An emission as the loop takes it; what it is there is told with one that means nothing there: it is discarded.
        func carried(_ event: Event, _ rest: ContiguousArray<Event>?) -> (Event, ContiguousArray<Event>?)? {
            let events = ([event] + (rest ?? [])).compactMap(self.event)
            let discarded = 1 + (rest?.count ?? 0) - events.count
            if discarded > 0 { mailbox.inbox.withLock { $0.runs.discarded += UInt64(discarded) } }
            guard let first = events.first else { return nil }
            return (first, events.count == 1 ? nil : ContiguousArray(events.dropFirst()))
        }
    }

    let mailbox: Mailbox<Event>
    // By the index of a slot of the loop before.
    private let slots: [Int32: RunSlot<Event>]
    private let event: @Sendable (Event) -> Event?

    init(
        _ mailbox: Mailbox<Event>, slots: [Int32: RunSlot<Event>],
        event: @escaping @Sendable (Event) -> Event?
    ) {
        (self.mailbox, self.slots, self.event) = (mailbox, slots, event)
    }

    /// What goes on with the runs of a slot of the loop before; nil: they were ended.
    func heir(of slot: RunSlot<Event>) -> Heir? { slots[slot.index].map { Heir($0, event) } }

    /// Takes an event from outside.
    func emit(_ event: Event) -> EmitResult {
        guard let carried = self.event(event) else {
            mailbox.inbox.withLock { $0.runs.discarded += 1 }
            return .stopped
        }
        return mailbox.emit(carried)
    }

    /// Takes an event from outside once there is room for it.
    func send(_ event: Event) async -> EmitResult {
        guard let carried = self.event(event) else {
            mailbox.inbox.withLock { $0.runs.discarded += 1 }
            return .stopped
        }
        return await mailbox.send(carried)
    }
}
