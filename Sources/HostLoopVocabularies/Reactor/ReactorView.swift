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
