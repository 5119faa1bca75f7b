/// The clock of the machine (`CLOCK_MONOTONIC`; on macOS `CLOCK_UPTIME_RAW`). Its origin is about the last
/// boot. It stands still while the machine sleeps.
///
/// All instances share one timer thread, which starts with the first timer. `forSlowActions` has its own
/// timer thread.
public final class ContinuousLoopClock: LoopClock {
    private let timers: TimerQueue

    /// Makes a clock. Its actions must not wait, as they would delay those of all other clocks. All clocks
    /// are alike.
    public convenience init() { self.init(.shared) }

    private init(_ timers: TimerQueue) { self.timers = timers }

    /// The same clock for actions that may wait: they delay only each other.
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
