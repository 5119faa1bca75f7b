import Dispatch
import HostLoop
import PluginHost

/// Work that may never come to its end, as it calls functions of plugins: done on a thread of its own, and not waited for longer
/// than a deadline.
enum TimedWork {
    private struct Progress<Result: Sendable>: Sendable {
        var result: Result?
        var isGivenUp = false
    }

    /// Does `body` on a thread of its own, and waits for it.
    ///
    /// - Parameter late: told what came of it when nobody waits any more, on that thread.
    /// - Returns: what came of it; nil when it has not returned after `limit`.
    static func wait<Result: Sendable>(
        _ limit: Duration, for body: @escaping @Sendable () -> Result,
        late: @escaping @Sendable (Result) -> Void
    ) -> Result? {
        let progress = Shared(Progress<Result>())
        let done = DispatchSemaphore(value: 0)
        let work: @Sendable () -> Void = {
            let result = body()
            let isLate = progress.value.withLock { progress in
                if !progress.isGivenUp { progress.result = result }
                return progress.isGivenUp
            }
            if isLate { late(result) } else { done.signal() }
        }
        // Without a thread to spare it happens here.
        if !HostThread.start(work) { work() }
        _ = done.wait(timeout: .now() + max(limit, .zero) / .seconds(1))
        return progress.value.withLock { progress in
            progress.isGivenUp = progress.result == nil
            return progress.result
        }
    }

    private final class Shared<Value: Sendable>: Sendable {
        let value: Lock<Value>

        init(_ value: Value) { self.value = Lock(value) }
    }
}
