/// The source of a loop's time. Delays, timers, durations and deadlines all use the clock that `Spin` gets.
///
/// It is a class without a `sleep` method: a timer is one entry in the clock's own list, not a task. In a
/// test, the test's clock alone decides when time passes.
public protocol LoopClock: AnyObject, Sendable {
    /// The current instant, which never goes back. Any thread may ask.
    var now: LoopInstant { get }

    /// Calls `action` once, not before `instant`. Actions come in the order of their instants, and in the
    /// order of scheduling when these are equal.
    ///
    /// The clock calls them on a thread of its own, one action at a time, and never inside `schedule`. An
    /// action must not wait: it must emit and return.
    /// - Returns: A cancellation for the action. It does not stop an action that has begun.
    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation
}

/// Cancels a scheduled action.
public struct Cancellation: Sendable {
    private let body: @Sendable () -> Void

    /// Makes a cancellation that calls `body`. `body` may be called more than once.
    public init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Cancels the action if it has not begun. Later and repeated calls do nothing. Any thread may call this.
    public func cancel() {
        body()
    }
}
