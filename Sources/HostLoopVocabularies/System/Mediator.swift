public import HostLoop
public import HostLoopFlow

/// A connection between systems that do not know each other: a gear, by its name in Feedbacks.
public protocol Mediator<Output>: AnyObject, Sendable {
    /// The type of the values.
    associatedtype Output: Sendable

    /// The gear that carries the values.
    var gear: Gear<Output> { get }
}

extension Mediator {
    /// Queues a value in every system that is attached and runs, from any thread; never waits.
    ///
    /// Values of one sender arrive in their order.
    public func send(_ value: Output) {
        gear.propagate(event: value)
    }

    /// The values from the subscription on; never completes.
    public var flow: Flow<Output> { gear.flow }
}

extension Gear: Mediator {
    /// The gear itself.
    public var gear: Gear { self }
}

/// A mediator that keeps nothing: a system that starts later does not get earlier values.
public typealias PassthroughMediator<Output: Sendable> = Gear<Output>

/// A mediator that keeps the newest value: a system that starts later gets it first.
public final class CurrentValueMediator<Output: Sendable>: Mediator {
    /// A gear that keeps one value.
    public let gear = Gear<Output>(replaying: 1)
    private let initial: Output

    /// Makes a mediator with a first value.
    public init(_ value: Output) {
        initial = value
        send(value)
    }

    /// The newest value, from any thread; setting it is `send`.
    public var value: Output {
        get { gear.newest ?? initial }
        set { send(newValue) }
    }
}
