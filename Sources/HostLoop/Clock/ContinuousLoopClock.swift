/// The clock of the machine: `CLOCK_MONOTONIC`, whose origin is about the last boot and which stands still
/// while the machine sleeps. All instances share one timer thread, started with the first timer; `forSlowActions` has another.
public final class ContinuousLoopClock: LoopClock {
    private let timers: TimerQueue

    /// Makes a clock, whose actions must not wait: they would hold up those of all others. All of them are alike.
    public convenience init() { self.init(.shared) }

    private init(_ timers: TimerQueue) { self.timers = timers }

    /// The same clock for actions that may take their time: they hold up only each other.
    public static let forSlowActions = ContinuousLoopClock(.slow)

    /// The monotonic time now.
    public var now: LoopInstant { Self.monotonic() }

    /// Calls `action` on the timer thread, not before `instant`.
    public func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let ticket = timers.add(at: instant, action)
        return Cancellation { [timers] in timers.remove(ticket) }
    }

    static func monotonic() -> LoopInstant {
        LoopInstant(nanoseconds: Platform.monotonicNanoseconds)
    }
}
