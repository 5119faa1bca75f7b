import HostLoop
import HostLoopTesting

/// A clock that a test moves once it knows that something waits for it.
final class PacedClock: LoopClock {
    private struct Book {
        /// The time from the start of each timer until it is due.
        var waits: [Duration] = []
        /// Whether the time of the test is over, so that nobody waits any more.
        var isGivenUp = false
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let clock = ManualClock()
    private let book = Lock(Book())

    var now: LoopInstant { clock.now }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let cancellation = clock.schedule(at: instant, action)
        let ready = book.withLock { book in
            book.waits.append(clock.now.duration(to: instant))
            let ready = book.waiting.filter { $0.count <= book.waits.count }
            book.waiting.removeAll { $0.count <= book.waits.count }
            return ready.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
        return cancellation
    }

    /// The time from the start of each timer until it is due, in the order of their starts.
    var waits: [Duration] { book.withLock { $0.waits } }

    /// Waits until so many timers were ever started.
    func timers(_ count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = book.withLock { book in
                    let isReady = book.isGivenUp || book.waits.count >= count
                    if !isReady { book.waiting.append((count, continuation)) }
                    return isReady
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiting = book.withLock { book in
                book.isGivenUp = true
                defer { book.waiting = [] }
                return book.waiting
            }
            for (_, continuation) in waiting { continuation.resume() }
        }
    }

    func advance(by duration: Duration) { clock.advance(by: duration) }
}
