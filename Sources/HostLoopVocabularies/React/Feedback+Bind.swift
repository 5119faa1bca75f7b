public import HostLoop
public import HostLoopFlow

extension Feedback {
    /// Binds an outside object, for example a view, to the loop for the loop's life: `bind { states in
    /// Bindings(…) }`.
    /// - Parameter bindings: Called once per loop with all its states, the initial one first, in order. They
    ///   come one at a time on the loop's executor.
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

    /// Binds an object to the loop for the loop's life, without keeping the object. If the object is gone
    /// when the loop starts, nothing is bound.
    /// - Parameter bindings: Called once per loop with the object and the loop's states. Its subscriptions
    ///   should not keep the object either.
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

extension Feedback {
    /// Binds an object of the main actor to the loop for the loop's life, without keeping the object:
    ///
    /// ```swift
    /// .bind(onMain: self) { screen, states in
    ///     Bindings(
    ///         subscriptions: [states.onMain.sink { screen.label.text = $0.title }],
    ///         events: [screen.taps.flow])
    /// }
    /// ```
    ///
    /// The object need not be `Sendable`. If it is gone when the loop starts, nothing is bound. The program
    /// must serve the main dispatch queue.
    /// - Parameter bindings: Called once per loop, on the main actor, with the object and the loop's states.
    ///   Its subscriptions should not keep the object.
    @MainActor
    public static func bind<Owner: AnyObject>(
        _ name: String = "", onMain owner: Owner,
        _ bindings: @escaping @MainActor (Owner, Flow<State>) -> Bindings<Event>
    ) -> Feedback {
        let owner = MainActorReference(owner)
        return bind(name) { states in
            MainActor.assumeIsolated {
                guard let owner = owner.object else { return Bindings(subscriptions: [], events: []) }
                return bindings(owner, states)
            }
        }.execute(on: .main)
    }
}

/// `Feedback.bind`, by its name in RxFeedback.
public func bind<State: Sendable, Event: Sendable>(
    _ bindings: @escaping @Sendable (Flow<State>) -> Bindings<Event>
) -> Feedback<State, Event> {
    .bind("bind", bindings)
}

/// `Feedback.bind` with an owner that is not kept, by its name in RxFeedback.
public func bind<State: Sendable, Event: Sendable, Owner: AnyObject & Sendable>(
    _ owner: Owner, _ bindings: @escaping @Sendable (Owner, Flow<State>) -> Bindings<Event>
) -> Feedback<State, Event> {
    .bind("bind", owner, bindings)
}

/// `Feedback.bind(onMain:)`, by its name in RxFeedback.
@MainActor
public func bind<State: Sendable, Event: Sendable, Owner: AnyObject>(
    onMain owner: Owner, _ bindings: @escaping @MainActor (Owner, Flow<State>) -> Bindings<Event>
) -> Feedback<State, Event> {
    .bind("bind", onMain: owner, bindings)
}

/// The connection of a loop with an outside object, for example a view: subscriptions to the states, and
/// sources of events.
///
/// The function of `bind` makes one per loop, which keeps it as long as it runs.
public struct Bindings<Event: Sendable>: Sendable {
    let subscriptions: [Subscription]
    let events: [Flow<Event>]

    /// Connects both directions.
    /// - Parameters:
    ///   - subscriptions: The loop cancels them when it stops, not before.
    ///   - events: Flows of events, until the loop stops. A completion of one ends nothing. A failure of one
    ///     is a fault, which ends the others.
    public init(subscriptions: [Subscription], events: [Flow<Event>]) {
        self.subscriptions = subscriptions
        self.events = events
    }
}
