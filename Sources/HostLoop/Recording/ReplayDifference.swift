/// The first entry in which a replay differs from its recording.
public struct ReplayDifference<State: Sendable, Event: Sendable>: Sendable {
    /// The index of the entry in `Recording.entries`, from 0.
    public var index: Int
    /// The event that was reduced.
    public var event: Event
    /// The state before the event.
    public var before: State
    /// The recorded outcome: a new state or `.unhandled`.
    public var expected: ReducerOutcome<State>
    /// The outcome of the replay.
    public var actual: ReducerOutcome<State>

    /// Makes a difference.
    public init(
        index: Int, event: Event, before: State, expected: ReducerOutcome<State>,
        actual: ReducerOutcome<State>
    ) {
        self.index = index
        self.event = event
        self.before = before
        self.expected = expected
        self.actual = actual
    }
}
