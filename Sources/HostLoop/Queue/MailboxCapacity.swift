/// How many events a loop holds for later, and what becomes of one too many.
///
/// Counted are events from outside and what runs emit asynchronously, from `emit` until the event is taken to
/// be reduced, withdrawn or discarded. What an effect emits during a call on the loop's executor, and timers,
/// do not count and always find room: a full mailbox cannot stall its own loop.
public struct MailboxCapacity: Sendable, Hashable {
    /// What a full mailbox does with one more entry. An entry is one `emit`, or one `emit(contentsOf:)`,
    /// which counts as all of its events and is taken or dropped whole; one that is larger than the capacity
    /// never has room and is answered `.full` whatever is chosen here.
    public enum Overflow: Sendable, Hashable, CaseIterable {
        /// The new entry is not taken: `emit` answers `.full`.
        case reject
        /// The oldest entries make room for the new one.
        case dropOldest
        /// The most recently queued entries make room for the new one: what came first stays, and the latest
        /// always arrives.
        case dropNewest
    }

    /// The greatest number of counted events; nil is any number.
    public let limit: Int?
    /// What a full mailbox does; without meaning when there is no limit.
    public let overflow: Overflow

    /// Any number of events: what memory holds.
    public static let unbounded = MailboxCapacity(limit: nil, overflow: .reject)

    /// At most `limit` counted events, which must be at least one.
    ///
    /// Every event that is dropped is counted in `LoopCounters.dropped` and told to observers. It also bounds
    /// the requests that wait under the strategy `queue`: see `LoopCounters.droppedRequests`.
    public static func bounded(_ limit: Int, overflow: Overflow = .reject) -> MailboxCapacity {
        precondition(limit > 0, "a bounded mailbox must have room for at least one event")
        return MailboxCapacity(limit: limit, overflow: overflow)
    }
}
