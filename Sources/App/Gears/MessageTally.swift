import Synchronization

/// Counts what becomes of one message of a gear. May be used from any thread.
final class MessageTally: Sendable {
    private let sentCount = Atomic<Int>(0)
    private let deliveredCount = Atomic<Int>(0)
    private let lostCount = Atomic<Int>(0)

    /// How often it was sent.
    var sent: Int { sentCount.load(ordering: .relaxed) }
    /// How often a loop got it.
    var delivered: Int { deliveredCount.load(ordering: .relaxed) }
    /// How often a loop did not get it.
    var lost: Int { lostCount.load(ordering: .relaxed) }

    func countSent() { sentCount.add(1, ordering: .relaxed) }

    /// Counts what became of the message in one loop.
    func count(isDelivered: Bool) {
        if isDelivered {
            deliveredCount.add(1, ordering: .relaxed)
        } else {
            lostCount.add(1, ordering: .relaxed)
        }
    }
}
