import HostLoop
import HostLoopTesting

/// A clock that a test moves once it knows that something waits for it.
final class PacedClock: LoopClock {
    private struct Book {
        var scheduled = 0
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let clock = ManualClock()
    private let book = Lock(Book())

    var now: LoopInstant { clock.now }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let cancellation = clock.schedule(at: instant, action)
        let ready = book.withLock { book in
            book.scheduled += 1
            let ready = book.waiting.filter { $0.count <= book.scheduled }
            book.waiting.removeAll { $0.count <= book.scheduled }
            return ready.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
        return cancellation
    }

    /// Waits until so many timers were ever started.
    func timers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = book.withLock { book in
                if book.scheduled < count { book.waiting.append((count, continuation)) }
                return book.scheduled >= count
            }
            if isReady { continuation.resume() }
        }
    }

    func advance(by duration: Duration) { clock.advance(by: duration) }
}
