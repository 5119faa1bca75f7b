public import HostLoopFlow

/// A mediator that keeps the newest value: a system that starts later is handed it first.
public final class CurrentValueMediator<Output: Sendable>: Mediator {
    private let initial: Output
    private let hub: FlowHub<Output>

    /// Makes a mediator with a value to begin with.
    public init(_ value: Output) {
        initial = value
        hub = FlowHub(latest: value, replaying: true)
    }

    /// The newest value, from any thread; setting it is `send`.
    public var value: Output {
        get { hub.latest ?? initial }
        set { send(newValue) }
    }

    /// Keeps a value and hands it to every system that is attached and runs, from any thread; never waits.
    ///
    /// Values of one sender arrive in their order.
    public func send(_ value: Output) {
        hub.push(value)
    }

    /// The newest value, and what is sent from the subscription on; it never completes.
    public var flow: Flow<Output> { hub.flow }
}
