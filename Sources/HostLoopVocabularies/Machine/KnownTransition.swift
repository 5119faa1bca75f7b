/// A transition as far as it is known without a state or an event at hand.
public struct KnownTransition: Sendable, CustomStringConvertible {
    /// The type of state that it leaves; `AnyState` for all.
    public var source: any State.Type
    /// The type of event that causes it; `AnyEvent` for all, `Elapsed` for a delayed transition.
    public var event: any Event.Type
    /// How long the state has to last before a delayed transition is taken; nil for one on an event.
    public var delay: Duration?
    /// The type of state that it leads to.
    public var destination: any State.Type
    /// Whether `disable` was applied to it, so that it may not be there.
    public var isConditional: Bool

    init(_ on: On, from source: any State.Type) {
        self.source = source
        event = on.event
        delay = on.delay?.duration
        destination = on.destination
        isConditional = on.isConditional
    }

    /// What causes it, in words: the name of the event's type, or `after 30.0 seconds`.
    public var cause: String {
        delay.map { "after \($0)" } ?? String(describing: event)
    }

    /// For example `Loading to Loaded on DataIsLoaded`, or `Loading to Failed after 30.0 seconds`.
    public var description: String {
        "\(source) to \(destination) \(delay == nil ? "on " : "")\(cause)\(isConditional ? ", unless disabled" : "")"
    }
}
