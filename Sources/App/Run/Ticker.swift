package import Dispatch
import HostLoop

/// Calls a function at intervals, on its own queue.
package final class Ticker: Sendable {
    // Safe because Dispatch lets any thread use a source.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    /// The queue that the function is called on.
    package let queue: DispatchQueue
    private let interval: Duration
    private let source = Lock<Source?>(nil)

    /// - Parameter name: the name of its queue.
    package init(_ name: String, every interval: Duration) {
        (queue, self.interval) = (DispatchQueue(label: name), interval)
    }

    /// Calls the function at the end of each interval from now on, until `stop`.
    package func start(_ body: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let seconds = interval / .seconds(1)
        source.schedule(deadline: .now() + seconds, repeating: seconds)
        source.setEventHandler(handler: body)
        self.source.exchange(Source(source: source))
        source.activate()
    }

    /// Makes the next call come after this delay, and later ones at intervals from then on.
    package func hasten(_ delay: Duration) {
        source.withLock { [interval] in
            $0?.source.schedule(deadline: .now() + delay / .seconds(1), repeating: interval / .seconds(1))
        }
    }

    /// Ends the calls. A call that is under way continues.
    package func stop() { source.withLock { $0?.source.cancel() } }
}
