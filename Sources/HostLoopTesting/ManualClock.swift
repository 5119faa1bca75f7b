public import HostLoop

/// A clock whose time passes only when a test says so; it begins at 0.
///
/// Every method may be called from any thread. What becomes due is called by the thread that advances the
/// clock, one action at a time and with no lock held, so a loop on `LoopExecutor.caller` has reduced the
/// events of its timers when `advance` returns.
public final class ManualClock: LoopClock {
    private struct Face: Sendable {
        var now = LoopInstant(nanoseconds: 0)
        var timers = TimerList()
        /// How far the thread that calls actions goes; nil when none does.
        var goal: LoopInstant?

        /// The next action to call, at its own time; nil when all were called up to the goal.
        mutating func takeNext() -> (@Sendable () -> Void)? {
            guard let goal, let next = timers.next, next <= goal else {
                if let goal { now = max(now, goal) }
                goal = nil
                return nil
            }
            now = max(now, next)
            return timers.takeDue(at: now)
        }
    }

    private let face = Lock(Face())

    /// Makes a clock that shows 0.
    public init() {}

    /// The time that was reached; during an action, the instant that the action was scheduled for or, if it
    /// comes late, a later one.
    public var now: LoopInstant { face.withLock { $0.now } }

    /// When the first of the scheduled actions is due; nil when none is scheduled.
    public var next: LoopInstant? { face.withLock { $0.timers.next } }

    /// How many actions are scheduled.
    public var timerCount: Int { face.withLock { $0.timers.count } }

    /// Schedules `action` for an `advance` that reaches `instant`; one that is past needs an `advance` too.
    public func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let ticket = face.withLock { $0.timers.add(at: instant, action) }
        return Cancellation {
            let action = self.face.withLock { $0.timers.remove(ticket) }
            withExtendedLifetime(action) {}
        }
    }

    /// Lets time pass, and calls what becomes due: in the order of the instants, equal ones in the order of
    /// scheduling, each at its own time, and what these actions schedule meanwhile included.
    ///
    /// Within an action, or while another thread calls one, time passes at once and this returns: what becomes
    /// due is called by who advances already, after the action at hand and therefore late, as with a real
    /// clock. Its own rest of time has passed too, then: the durations overlap.
    /// - Parameter duration: Not negative; with zero, what is overdue is called.
    public func advance(by duration: Duration) {
        precondition(
            duration >= .zero, "a clock cannot be advanced by a negative duration: time does not go back")
        advance { $0.advanced(by: duration) }
    }

    /// Lets time pass until `instant`, as `advance(by:)` does; an instant that is past leaves the time as it
    /// is, and calls what is overdue.
    public func advance(to instant: LoopInstant) {
        advance { max($0, instant) }
    }

    private func advance(_ goal: (LoopInstant) -> LoopInstant) {
        // The goal is set and the first action taken at once: time must not stand still in between.
        var action = face.withLock { face -> (@Sendable () -> Void)? in
            let goal = goal(face.now)
            guard let current = face.goal else {
                face.goal = goal
                return face.takeNext()
            }
            face.now = max(face.now, goal)
            face.goal = max(current, goal)
            return nil
        }
        while let current = action {
            current()
            action = face.withLock { $0.takeNext() }
        }
    }
}
