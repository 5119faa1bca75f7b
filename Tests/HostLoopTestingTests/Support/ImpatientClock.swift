import Dispatch
import HostLoop

/// A clock on which every time limit is over at once, though not before it was set.
final class ImpatientClock: LoopClock {
    let now = LoopInstant(nanoseconds: 0)

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        DispatchQueue.global().async(execute: action)
        return Cancellation {}
    }
}
