import Synchronization

/// Counts the emissions of one run of an app that became no event. May be used from any thread.
final class DropCount: Sendable {
    private let number = Atomic<Int>(0)

    var total: Int { number.load(ordering: .relaxed) }

    func count(_ more: Int = 1) { number.add(more, ordering: .relaxed) }
}
