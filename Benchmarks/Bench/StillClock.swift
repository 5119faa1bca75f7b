import HostLoop

/// A clock that stands still, for work that is counted and not timed. A loop leaves its thread after a
/// millisecond. That is more steps on a fast machine than on a slow one, and the instructions of leaving
/// would be counted.
final class StillClock: LoopClock {
    var now: LoopInstant { LoopInstant(nanoseconds: 0) }

    /// That time never comes.
    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        Cancellation {}
    }
}
