import HostLoop
import PluginHost

/// A question whose answer a thread waits for. May be used from any thread.
final class WorkerRequest: Sendable {
    private let result = Lock<Result<[UInt8], PluginError>?>(nil)
    private let bell = Bell()

    func give(_ answer: Result<[UInt8], PluginError>) {
        result.withLock { if $0 == nil { $0 = answer } }
        bell.ring()
    }

    var isAnswered: Bool { result.withLock { $0 != nil } }

    /// Waits for the answer.
    func answer() throws(PluginError) -> [UInt8] {
        while true {
            let rings = bell.rings
            if let result = result.withLock({ $0 }) { return try result.get() }
            bell.wait(beyond: rings)
        }
    }

    /// Waits for the answer, at most so long; nil for an error, and if it is late.
    func answer(within limit: Duration) -> [UInt8]? {
        let end = ContinuousClock.now.advanced(by: limit)
        while true {
            let rings = bell.rings
            if let result = result.withLock({ $0 }) { return try? result.get() }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return nil }
            bell.wait(beyond: rings, atMost: left)
        }
    }
}
