public import HostLoopFlow

/// Something that shows a reactor; any object. `BaseReactorView` keeps what it asks for.
public protocol ReactorView<Reactor>: AnyObject {
    /// What it shows.
    associatedtype Reactor

    /// The reactor that is shown.
    var reactor: Reactor? { get set }
    /// What lasts until another reactor is shown.
    var subscriptions: Set<Subscription> { get set }
    /// Subscribes to a reactor; what it subscribes to is kept in `subscriptions`.
    func bind(reactor: Reactor)
}

extension ReactorView {
    /// Ends the old subscriptions and binds the reactor at hand, if there is one: to be called when `reactor`
    /// was set.
    public func rebind() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        if let reactor { bind(reactor: reactor) }
    }
}

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
