import Dispatch
import Synchronization

/// Signals when it has been counted down.
final class Countdown: Sendable {
    private let isOver = DispatchSemaphore(value: 0)
    private let left: Atomic<Int>

    init(from number: Int) {
        left = Atomic(number)
    }

    func count() {
        if left.subtract(1, ordering: .relaxed).newValue == 0 { isOver.signal() }
    }

    /// Waits until then.
    func wait() { isOver.wait() }
}
