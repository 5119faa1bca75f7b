/// The number of events that a loop can hold for later, and the rule for one too many.
///
/// Events from outside count, and events that runs emit asynchronously. They count from `emit` until the loop
/// takes them, withdraws them or discards them. Timers, and events that an effect emits during a call on the
/// loop's executor, do not count and always find room: a full mailbox cannot stall its own loop.
public struct MailboxCapacity: Sendable, Hashable {
    /// The rule for an entry that finds the mailbox full. An entry is one `emit`, or one `emit(contentsOf:)`.
    /// The latter counts as all of its events and is queued or dropped whole. An entry that is larger than
    /// the capacity never has room: every rule answers `.full`.
    public enum Overflow: Sendable, Hashable, CaseIterable {
        /// The mailbox refuses the new entry: `emit` answers `.full`.
        case reject
        /// The oldest entries make room for the new one.
        case dropOldest
        /// The most recently queued entries make room for the new one: the earliest stay, and the latest
        /// always arrives.
        case dropNewest
    }

    /// The greatest number of counted events; nil means no limit.
    public let limit: Int?
    /// The rule for a full mailbox. It has no meaning without a limit.
    public let overflow: Overflow

    /// Any number of events, up to the size of the memory.
    public static let unbounded = MailboxCapacity(limit: nil, overflow: .reject)

    /// At most `limit` counted events; `limit` must be at least 1.
    ///
    /// The loop counts each dropped event in `LoopCounters.dropped` and reports it to observers. The limit
    /// also holds for the requests that wait under the strategy `queue`: see `LoopCounters.droppedRequests`.
    public static func bounded(_ limit: Int, overflow: Overflow = .reject) -> MailboxCapacity {
        precondition(limit > 0, "a bounded mailbox must have room for at least one event")
        return MailboxCapacity(limit: limit, overflow: overflow)
    }
}
