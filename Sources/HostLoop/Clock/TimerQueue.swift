import Dispatch

/// The timers of `ContinuousLoopClock`: a list, a timer of the system that is set to its first entry, and a
/// serial queue that runs the actions.
///
/// There are two timer queues. They live as long as the process.
final class TimerQueue: Sendable {
    static let shared = TimerQueue(label: "hostloop.timers")
    static let slow = TimerQueue(label: "hostloop.slow-timers")

    private struct Plan: Sendable {
        var timers = TimerList()
        /// The instant to which the system's timer is set.
        var setTo: LoopInstant?
    }

    private let plan = Lock(Plan())
    private let queue: DispatchQueue
    // Safe because `init` sets it up, and only code on `queue` touches it afterwards.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    private init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        // Safe because no other code sees the source yet.
        unsafe source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        unsafe source.setEventHandler { [unowned self] in runDue() }
        unsafe source.activate()
    }

    func add(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> TimerList.Ticket {
        let (ticket, isFirst) = plan.withLock { plan in
            let ticket = plan.timers.add(at: instant, action)
            guard let setTo = plan.setTo, setTo <= instant else {
                plan.setTo = instant
                return (ticket, true)
            }
            return (ticket, false)
        }
        // The queue sets the system's timer, so the earlier of two changes never overtakes the later.
        if isFirst { queue.async { [self] in runDue() } }
        return ticket
    }

    func remove(_ ticket: TimerList.Ticket) {
        let action = plan.withLock { $0.timers.remove(ticket) }
        withExtendedLifetime(action) {}
    }

    /// One day, in nanoseconds.
    private static let longestWait: Int64 = 86_400_000_000_000

    private func runDue() {
        while let action = plan.withLock({ $0.timers.takeDue(at: ContinuousLoopClock.monotonic()) }) {
            action()
        }
        let next = plan.withLock { plan in
            plan.setTo = plan.timers.next
            return plan.setTo
        }
        guard let next else { return }
        let now = ContinuousLoopClock.monotonic()
        // The first timer may be long overdue. If it is far in the future, the queue looks again once a day.
        let wait = next > now ? min(next.nanoseconds - now.nanoseconds, Self.longestWait) : 0
        // Safe because this runs on `queue`.
        unsafe source.schedule(deadline: .now() + .nanoseconds(Int(wait)), leeway: .nanoseconds(0))
    }
}
