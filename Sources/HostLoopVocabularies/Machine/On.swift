/// One transition of a `From`: the type of event that causes it, and the state that it leads to.
///
/// Closures and values are evaluated when the transition is taken, on the loop's executor. The original makes
/// the value for every event.
public struct On: Sendable {
    /// The cause of the transition.
    enum Cause: Sendable, Hashable {
        case event(ObjectIdentifier)
        case delay(Delay)

        static let anyEvent = Cause.event(ObjectIdentifier(AnyEvent.self))
    }

    let cause: Cause
    /// The type of the event; `Elapsed` for a delayed transition.
    let event: any Event.Type
    let destination: any State.Type
    /// Whether the transition may be disabled.
    private(set) var isConditional = false
    /// The new state; nil when the transition is disabled.
    private(set) var next: @Sendable (any Event) -> (any State)?

    init(
        cause: Cause, event: any Event.Type, destination: any State.Type,
        next: @escaping @Sendable (any Event) -> (any State)?
    ) {
        self.cause = cause
        self.event = event
        self.destination = destination
        self.next = next
    }

    /// The delay, if this is a delayed transition.
    var delay: Delay? {
        guard case .delay(let delay) = cause else { return nil }
        return delay
    }

    /// Leads to the state that `transition` makes of an event of type `eventType`.
    public init<EventType: Event, StateType: State>(
        _ eventType: EventType.Type, transitionTo: StateType.Type,
        _ transition: @escaping @Sendable (EventType) -> StateType
    ) {
        self.init(cause: .event(ObjectIdentifier(eventType)), event: eventType, destination: transitionTo) {
            ($0 as? EventType).map(transition)
        }
    }

    /// Leads to the state that `transition` makes when an event of type `eventType` comes.
    public init<EventType: Event, StateType: State>(
        _ eventType: EventType.Type, transitionTo: StateType.Type,
        _ transition: @escaping @Sendable () -> StateType
    ) {
        self.init(cause: .event(ObjectIdentifier(eventType)), event: eventType, destination: transitionTo) {
            _ in
            transition()
        }
    }

    /// Leads to a given state when an event of type `eventType` comes.
    public init<EventType: Event, StateType: State>(
        _ eventType: EventType.Type, transitionTo: @autoclosure @escaping @Sendable () -> StateType
    ) {
        self.init(eventType, transitionTo: StateType.self, transitionTo)
    }

    /// Leads to the state that `transition` makes of any event.
    public init<StateType: State>(
        _ eventType: AnyEvent.Type, transitionTo: StateType.Type,
        _ transition: @escaping @Sendable (any Event) -> StateType
    ) {
        self.init(cause: .anyEvent, event: eventType, destination: transitionTo, next: transition)
    }

    /// The same transition, disabled while `disabled` is true.
    ///
    /// The loop calls `disabled` on its executor, at each event that would take the transition. While it is
    /// disabled, the wildcards apply, but no other `On` for the same event.
    public func disable(_ disabled: @escaping @Sendable () -> Bool) -> On {
        var copy = self
        copy.isConditional = true
        copy.next = { [next] event in disabled() ? nil : next(event) }
        return copy
    }
}
