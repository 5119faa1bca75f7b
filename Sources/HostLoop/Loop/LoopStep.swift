/// One event taken through the reducer and handled.
public struct LoopStep<State: Sendable, Event: Sendable>: Sendable {
    /// The number of this step in its loop, from 1; the initial state is step 0.
    public var index: UInt64
    /// The event that was reduced.
    public var event: Event
    /// Where the event came from.
    public var origin: EventOrigin
    /// The state before.
    public var before: State
    /// The new state, equal to the one before or not.
    public var after: State
    /// How long the reducer took, by the loop's clock.
    public var duration: Duration

    /// Makes a step; for tests of observers.
    @inlinable
    public init(
        index: UInt64, event: Event, origin: EventOrigin, before: State, after: State, duration: Duration
    ) {
        self.index = index
        self.event = event
        self.origin = origin
        self.before = before
        self.after = after
        self.duration = duration
    }
}
