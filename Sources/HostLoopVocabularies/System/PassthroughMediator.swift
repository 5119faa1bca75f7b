public import HostLoopFlow

/// A mediator that keeps nothing: a system that starts later does not hear of what was sent before.
public final class PassthroughMediator<Output: Sendable>: Mediator {
    private let hub = FlowHub<Output>()

    /// Makes a mediator.
    public init() {}

    /// Hands a value to every system that is attached and runs, from any thread; never waits.
    ///
    /// Values of one sender arrive in their order.
    public func send(_ value: Output) {
        hub.push(value)
    }

    /// What is sent from the subscription on; it never completes.
    public var flow: Flow<Output> { hub.flow }
}
