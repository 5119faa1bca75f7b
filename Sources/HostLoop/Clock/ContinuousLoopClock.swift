import Glibc

/// The clock of the machine: `CLOCK_MONOTONIC`, whose origin is about the last boot and which stands still
/// while the machine sleeps. All instances share one timer thread, started with the first timer.
public final class ContinuousLoopClock: LoopClock {
    /// Makes a clock; all of them are alike.
    public init() {}

    /// The monotonic time now.
    public var now: LoopInstant { Self.monotonic() }

    /// Calls `action` on the shared timer queue, not before `instant`.
    public func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let timers = TimerQueue.shared
        let ticket = timers.add(at: instant, action)
        return Cancellation { timers.remove(ticket) }
    }

    static func monotonic() -> LoopInstant {
        var time = timespec()
        // Safe because the call only writes the local it is given.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return LoopInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
