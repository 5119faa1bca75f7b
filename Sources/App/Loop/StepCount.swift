import Synchronization

/// The number of a running loop's state, counted where the state is made; read from any thread.
final class StepCount: Sendable {
    private let count = Atomic<UInt64>(0)

    /// The number of the state that the loop is in; 0 is the initial one.
    var current: UInt64 { count.load(ordering: .relaxed) }

    /// Counts on from where another loop is, before this one begins.
    func goOn(from other: StepCount) { count.store(other.current, ordering: .relaxed) }

    /// The loop has one more state; called on its executor only, so that nothing is lost between load and
    /// store.
    func advance() { count.store(current + 1, ordering: .relaxed) }
}
