import HostLoop
import HostLoopTesting

/// A clock that a test moves, and that tells when something is scheduled.
final class TellingClock: LoopClock {
    private let time = ManualClock()
    private let scheduled = AsyncStream<Void>.makeStream()

    var now: LoopInstant { time.now }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        defer { scheduled.continuation.yield() }
        return time.schedule(at: instant, action)
    }

    /// Waits until something is scheduled that was not waited for.
    func nextScheduled() async { for await _ in scheduled.stream { return } }

    func advance(by duration: Duration) { time.advance(by: duration) }
}
