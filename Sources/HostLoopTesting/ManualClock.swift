public import HostLoop

/// A clock that only a test advances; it begins at 0.
///
/// Any thread may call any method. The thread that advances the clock calls the due actions, one at a time
/// and with no lock held. When `advance` returns, a loop on `LoopExecutor.caller` has reduced the events of
/// its timers.
public final class ManualClock: LoopClock {
    private struct State: Sendable {
        var now = LoopInstant(nanoseconds: 0)
        var timers = TimerList()
        /// The instant up to which a thread is calling actions; nil when no thread is.
        var goal: LoopInstant?

        /// Removes the next action and sets the time to its instant. Returns nil when no action up to the
        /// goal remains.
        mutating func popNext() -> (@Sendable () -> Void)? {
            guard let goal, let next = timers.next, next <= goal else {
                if let goal { now = max(now, goal) }
                goal = nil
                return nil
            }
            now = max(now, next)
            return timers.takeDue(at: now)
        }
    }

    private let state = Lock(State())

    /// Makes a clock at 0.
    public init() {}

    /// The current time. During an action, this is the scheduled instant of the action, or a later instant if
    /// the action is late.
    public var now: LoopInstant { state.withLock { $0.now } }

    /// The instant of the first scheduled action; nil when no action is scheduled.
    public var next: LoopInstant? { state.withLock { $0.timers.next } }

    /// The number of scheduled actions.
    public var timerCount: Int { state.withLock { $0.timers.count } }

    /// Schedules `action` for an `advance` that reaches `instant`. A past instant needs an `advance` too.
    public func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let ticket = state.withLock { $0.timers.add(at: instant, action) }
        return Cancellation {
            let action = self.state.withLock { $0.timers.remove(ticket) }
            withExtendedLifetime(action) {}
        }
    }

    /// Advances the time and calls the actions that become due, including those that these actions schedule.
    ///
    /// It calls the actions in the order of their instants, and equal instants in the order of scheduling.
    /// During each action, `now` is the instant of the action.
    ///
    /// If an advance is already in progress, in this or another thread, the time changes at once and this
    /// returns. The earlier advance calls the due actions after its current action, so they are late, as with
    /// a real clock. The new duration starts at the current time, so the two durations overlap.
    /// - Parameter duration: Must not be negative; zero calls overdue actions.
    public func advance(by duration: Duration) {
        precondition(
            duration >= .zero, "a clock cannot be advanced by a negative duration: time does not go back")
        advance { $0.advanced(by: duration) }
    }

    /// Advances the time to `instant`, as `advance(by:)` does. A past instant does not change the time, and
    /// only calls overdue actions.
    public func advance(to instant: LoopInstant) {
        advance { max($0, instant) }
    }

    private func advance(_ goal: (LoopInstant) -> LoopInstant) {
        // One critical section sets the goal and the time, so that no thread sees a goal with the old time.
        var action = state.withLock { state -> (@Sendable () -> Void)? in
            let goal = goal(state.now)
            guard let current = state.goal else {
                state.goal = goal
                return state.popNext()
            }
            state.now = max(state.now, goal)
            state.goal = max(current, goal)
            return nil
        }
        while let current = action {
            current()
            action = state.withLock { $0.popNext() }
        }
    }
}
