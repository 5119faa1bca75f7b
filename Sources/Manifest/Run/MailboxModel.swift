/// How many events a loop queues, and what it does with one more: `mailbox`.
public struct MailboxModel: Hashable, Sendable {
    /// How a full mailbox handles one more event.
    public enum Overflow: String, Sendable, CaseIterable {
        /// It refuses the new event.
        case reject
        /// It drops the oldest events to make room.
        case dropOldest = "drop-oldest"
        /// It drops the most recently queued events to make room.
        case dropNewest = "drop-newest"
    }

    /// The greatest number of queued events, at least one.
    public let capacity: Int
    /// How a full mailbox handles one more event.
    public let overflow: Overflow

    /// A mailbox with room for `capacity` events.
    public init(capacity: Int, overflow: Overflow) {
        (self.capacity, self.overflow) = (capacity, overflow)
    }

    /// The default: room for 65,536 events, and `reject`.
    public static let standard = MailboxModel(capacity: 65536, overflow: .reject)
}
