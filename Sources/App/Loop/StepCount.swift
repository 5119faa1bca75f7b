import Synchronization

/// The number of a running loop's state, counted where the state is made; read from any thread.
final class StepCount: Sendable {
    private let count = Atomic<UInt64>(0)

    /// The number of the loop's current state; 0 is the initial one.
    var current: UInt64 { count.load(ordering: .relaxed) }

    /// Continues the count of another loop, before this one begins.
    func continueCount(of other: StepCount) { count.store(other.current, ordering: .relaxed) }

    /// Continues at a number, before the loop begins.
    func `continue`(at step: UInt64) { count.store(step, ordering: .relaxed) }

    /// Counts one more state. Called on the loop's executor only, so that no step is lost between load and
    /// store.
    func advance() { count.store(current + 1, ordering: .relaxed) }
}
