import HostLoop

/// The timers of plugins. A plain value: its owner calls it under a lock, and acts on the result after
/// unlocking.
struct TimerTable {
    /// The parameters of a timer.
    struct Request {
        let call: CallToken
        let image: PluginImage
        /// Nanoseconds between due times; 0 for a timer that is due once.
        let interval: Int64
        let fire: NumberCallback
        let release: PluginCallback?
    }

    private struct Timer {
        let request: Request
        var due: LoopInstant
        var isFiring = false
        var hasEnded = false
        /// How often the timer was due. Identifies the scheduling that a cancellation belongs to.
        var rounds = 0
        var cancellation: Cancellation?
    }

    /// A timer that ended while it was not firing: its owner must cancel its scheduling, and release its
    /// context.
    struct Ended {
        let request: Request
        let cancellation: Cancellation?
    }

    /// The next action after a timer's function has returned.
    enum Next {
        case schedule(at: LoopInstant, round: Int)
        case ended(Request)
    }

    private var timers: [UInt64: Timer] = [:]
    private var last: UInt64 = 0

    /// Adds a timer that is not scheduled yet, and returns its number, which is never used again.
    mutating func add(_ request: Request, due: LoopInstant) -> UInt64 {
        last += 1
        timers[last] = Timer(request: request, due: due)
        return last
    }

    /// Keeps the cancellation of a scheduling.
    ///
    /// - Returns: false when the timer has ended: the caller must cancel the scheduling itself.
    mutating func scheduled(_ timer: UInt64, round: Int, _ cancellation: Cancellation) -> Bool {
        guard let found = timers[timer], !found.hasEnded else { return false }
        if found.rounds == round { timers[timer]!.cancellation = cancellation }
        return true
    }

    /// Begins to fire a timer that is due.
    ///
    /// - Returns: the timer's parameters and the number of due times that have passed; nil when it has ended.
    mutating func begin(_ timer: UInt64, now: LoopInstant) -> (request: Request, expirations: UInt64)? {
        guard var found = timers[timer], !found.isFiring else { return nil }
        let interval = found.request.interval
        var expirations: UInt64 = 1
        if interval > 0 {
            let late = now.nanoseconds.subtractingReportingOverflow(found.due.nanoseconds)
            let missed = late.overflow ? 0 : max(0, late.partialValue) / interval
            expirations += UInt64(missed)
            let step = interval.multipliedReportingOverflow(by: missed + 1)
            let next = found.due.nanoseconds.addingReportingOverflow(step.partialValue)
            found.due = LoopInstant(nanoseconds: step.overflow || next.overflow ? .max : next.partialValue)
        }
        found.isFiring = true
        found.rounds += 1
        found.cancellation = nil
        timers[timer] = found
        return (found.request, expirations)
    }

    /// The timer's function has returned.
    mutating func fired(_ timer: UInt64) -> Next {
        guard var found = timers[timer] else { preconditionFailure("a timer stays while it fires") }
        guard !found.hasEnded, found.request.interval > 0 else {
            timers[timer] = nil
            return .ended(found.request)
        }
        found.isFiring = false
        timers[timer] = found
        return .schedule(at: found.due, round: found.rounds)
    }

    /// Ends a timer. If its function is running, `ended` is nil, and `fired` returns the end later.
    mutating func end(_ timer: UInt64) -> (wasRunning: Bool, ended: Ended?) {
        guard var found = timers[timer], !found.hasEnded else { return (false, nil) }
        if found.isFiring {
            found.hasEnded = true
            timers[timer] = found
            return (true, nil)
        }
        timers[timer] = nil
        return (true, Ended(request: found.request, cancellation: found.cancellation))
    }

    /// The call that a timer belongs to; nil if the timer has ended.
    func call(of timer: UInt64) -> CallToken? { timers[timer]?.request.call }
}
