public import HostLoopFlow

/// What systems that do not know each other speak through.
public protocol Mediator<Output>: AnyObject, Sendable {
    /// What is sent.
    associatedtype Output: Sendable

    /// Hands a value to every system that is attached and runs, from any thread; it is queued in their loops,
    /// and the sender does not wait for them.
    func send(_ value: Output)

    /// What is sent from the subscription on.
    var flow: Flow<Output> { get }
}
