/// The source of a loop's time: delays, timers, durations and deadlines all ask the clock given to `Spin`.
///
/// It is a class and has no `sleep`: a timer is one entry in the clock's own list, not a task. A clock
/// for tests alone decides when time passes.
public protocol LoopClock: AnyObject, Sendable {
    /// The present, which never goes back. Any thread may ask.
    var now: LoopInstant { get }

    /// Calls `action` once, not before `instant`. Actions come in the order of their instants, and in the
    /// order of scheduling when these are equal.
    ///
    /// The clock calls them on a thread of its own, one action at a time, and never inside `schedule`. An
    /// action must not wait: it emits and returns.
    /// - Returns: takes the action back; it does not stop an action that has begun.
    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation
}

/// Takes a scheduled action back.
public struct Cancellation: Sendable {
    private let body: @Sendable () -> Void

    /// Makes a cancellation that calls `body`, which must bear more than one call.
    public init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Takes the action back if it has not begun. Later and repeated calls do nothing. Any thread may call
    /// this.
    public func cancel() {
        body()
    }
}
