import HostLoop

/// A clock that stands still, for work that is counted and not timed: a loop leaves its thread after a millisecond, which is more steps
/// on a fast machine than on a slow one, and what it does then would be counted.
final class StillClock: LoopClock {
    var now: LoopInstant { LoopInstant(nanoseconds: 0) }

    /// That time never comes.
    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        Cancellation {}
    }
}
