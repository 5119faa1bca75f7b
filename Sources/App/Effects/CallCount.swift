import Synchronization

/// Counts the calls of one run: `retry` and a swap make them again. Used from any thread.
final class CallCount: Sendable {
    private let calls = Atomic<UInt32>(0)

    var value: UInt32 { calls.load(ordering: .relaxed) }

    func add() { calls.add(1, ordering: .relaxed) }
}
