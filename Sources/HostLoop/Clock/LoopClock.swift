/// Where a loop takes its time from: delays, timers, durations and deadlines all ask the clock given to
/// `Spin`.
///
/// It is a class and has no `sleep`: a timer is one entry in the clock's own list, not a task, and a clock
/// for tests decides alone when time passes.
public protocol LoopClock: AnyObject, Sendable {
    /// The present, which never goes back. May be asked from any thread.
    var now: LoopInstant { get }

    /// Calls `action` once, not before `instant`; actions come in the order of their instants, equal ones in
    /// the order of scheduling.
    ///
    /// The clock calls it on a thread of its own, one action at a time, and never inside `schedule`; an
    /// action must not wait: it emits and returns.
    /// - Returns: takes the action back; an action that has begun goes on.
    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation
}
