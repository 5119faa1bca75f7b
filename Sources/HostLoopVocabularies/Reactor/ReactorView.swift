public import HostLoopFlow

/// An object of the main actor that shows a reactor. `BaseReactorView` has the properties that this requires.
@MainActor
public protocol ReactorView<Reactor>: AnyObject {
    /// The type of the reactor.
    associatedtype Reactor

    /// The reactor that is shown.
    var reactor: Reactor? { get set }
    /// Subscriptions that last until another reactor is shown.
    var subscriptions: Set<Subscription> { get set }
    /// Subscribes to a reactor, and stores the subscriptions in `subscriptions`.
    func bind(reactor: Reactor)
}

extension ReactorView {
    /// Ends the old subscriptions and binds the current reactor, if there is one. It must be called when
    /// `reactor` was set.
    public func rebind() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        if let reactor { bind(reactor: reactor) }
    }
}

/// A view to subclass: setting `reactor` ends the old subscriptions and calls `bind(reactor:)`.
///
/// ```swift
/// final class CountingView: BaseReactorView<CountingReactor> {
///     override func bind(reactor: CountingReactor) {
///         reactor.states.onMain.sink { self.label.text = "\($0.count)" }.store(in: &subscriptions)
///     }
/// }
/// ```
@MainActor
open class BaseReactorView<Reactor>: ReactorView {
    /// Subscriptions that last until another reactor is set.
    public var subscriptions: Set<Subscription> = []

    /// The reactor that is shown. To set it binds it; to set nil ends the subscriptions.
    public var reactor: Reactor? {
        didSet { rebind() }
    }

    /// Makes a view without a reactor.
    public init() {}

    /// Subscribes to the reactor in a subclass; does nothing here.
    open func bind(reactor: Reactor) {}
}
