/// How many events a loop holds for later, and what becomes of one too many: `mailbox`.
public struct MailboxModel: Hashable, Sendable {
    /// What a full mailbox does with one more entry.
    public enum Overflow: String, Sendable, CaseIterable {
        /// The new entry is not taken.
        case reject
        /// The oldest entries make room.
        case dropOldest = "drop-oldest"
        /// The most recently queued entries make room.
        case dropNewest = "drop-newest"
    }

    /// The greatest number of events, at least one.
    public let capacity: Int
    /// What a full mailbox does.
    public let overflow: Overflow

    /// A mailbox with room for so many events.
    public init(capacity: Int, overflow: Overflow) {
        (self.capacity, self.overflow) = (capacity, overflow)
    }

    /// What holds without `mailbox`: 65,536 events, then refused ones.
    public static let standard = MailboxModel(capacity: 65536, overflow: .reject)
}
