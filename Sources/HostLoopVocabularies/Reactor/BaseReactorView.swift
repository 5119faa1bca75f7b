public import HostLoopFlow

/// A view to subclass: setting `reactor` ends the old subscriptions and calls `bind(reactor:)`.
open class BaseReactorView<Reactor>: ReactorView {
    /// What lasts until another reactor is set.
    public var subscriptions: Set<Subscription> = []

    /// The reactor that is shown; setting it binds it, setting nil ends the subscriptions.
    public var reactor: Reactor? {
        didSet { rebind() }
    }

    /// Makes a view without a reactor.
    public init() {}

    /// Does nothing, unless overridden: subscribes to the reactor.
    open func bind(reactor: Reactor) {}
}
