public import HostLoop
public import HostLoopFlow

extension Feedback {
    /// Binds something outside to the loop for the loop's life: `bind { states in Bindings(…) }`.
    /// - Parameter bindings: Called once per loop with its states, the initial one first, every one and in
    ///   order; they come one at a time on the loop's executor.
    public static func bind(
        _ name: String = "", _ bindings: @escaping @Sendable (Flow<State>) -> Bindings<Event>
    ) -> Feedback {
        always(
            name,
            stream: { states in
                Flow { sink in
                    let bindings = bindings(states)
                    sink.onCancel { for subscription in bindings.subscriptions { subscription.cancel() } }
                    Flow.merge(bindings.events + [.never]).start(sink)
                }
            })
    }

    /// Binds an object to the loop for the loop's life, without keeping the object: one that is gone when the
    /// loop starts is bound to nothing.
    /// - Parameter bindings: Called once per loop with the object and the loop's states; what it subscribes
    ///   with should not keep the object either.
    public static func bind<Owner: AnyObject & Sendable>(
        _ name: String = "", _ owner: Owner,
        _ bindings: @escaping @Sendable (Owner, Flow<State>) -> Bindings<Event>
    ) -> Feedback {
        bind(name) { [weak owner] states in
            guard let owner else { return Bindings(subscriptions: [], events: []) }
            return bindings(owner, states)
        }
    }
}

/// `Feedback.bind`, as RxFeedback spells it.
public func bind<State: Sendable, Event: Sendable>(
    _ bindings: @escaping @Sendable (Flow<State>) -> Bindings<Event>
) -> Feedback<State, Event> {
    .bind("bind", bindings)
}

/// `Feedback.bind` with an owner that is not kept, as RxFeedback spells it.
public func bind<State: Sendable, Event: Sendable, Owner: AnyObject & Sendable>(
    _ owner: Owner, _ bindings: @escaping @Sendable (Owner, Flow<State>) -> Bindings<Event>
) -> Feedback<State, Event> {
    .bind("bind", owner, bindings)
}

/// What connects a loop with something outside, a view for one: what listens to the states, and what brings
/// events.
///
/// Made once per loop by the function given to `bind`, and kept as long as the loop runs.
public struct Bindings<Event: Sendable>: Sendable {
    let subscriptions: [Subscription]
    let events: [Flow<Event>]

    /// Connects both directions.
    /// - Parameters:
    ///   - subscriptions: Cancelled when the loop stops, not before, with or without events.
    ///   - events: Subscribed to until the loop stops; what they emit is reduced. That one of them completes
    ///     ends nothing; that one fails is a fault, which ends the others.
    public init(subscriptions: [Subscription], events: [Flow<Event>]) {
        self.subscriptions = subscriptions
        self.events = events
    }
}
