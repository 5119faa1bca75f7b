package import Dispatch
import HostLoop

/// Calls a function again and again, on a queue of its own.
package final class Ticker: Sendable {
    // Safe because a source may be used from any thread.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    /// Where the function is called.
    package let queue: DispatchQueue
    private let interval: Duration
    private let source = Lock<Source?>(nil)

    /// - Parameter name: the name of its queue.
    package init(_ name: String, every interval: Duration) {
        (queue, self.interval) = (DispatchQueue(label: name), interval)
    }

    /// Calls the function once in each interval from now on, the first time when one is over, until `stop`.
    package func start(_ body: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let seconds = interval / .seconds(1)
        source.schedule(deadline: .now() + seconds, repeating: seconds)
        source.setEventHandler(handler: body)
        self.source.exchange(Source(source: source))
        source.activate()
    }

    /// Calls the function next when this delay is over, and once in each interval from then on.
    package func hasten(_ delay: Duration) {
        source.withLock { [interval] in
            $0?.source.schedule(deadline: .now() + delay / .seconds(1), repeating: interval / .seconds(1))
        }
    }

    /// Calls it no more; a call that is under way goes on.
    package func stop() { source.withLock { $0?.source.cancel() } }
}
