public import HostLoopFlow

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
