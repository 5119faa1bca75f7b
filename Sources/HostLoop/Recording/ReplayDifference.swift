/// Where a replay leaves its recording.
public struct ReplayDifference<State: Sendable, Event: Sendable>: Sendable {
    /// The place of the entry among those of the recording, from 0.
    public var index: Int
    /// The event that was reduced.
    public var event: Event
    /// The state it was reduced in.
    public var before: State
    /// What was recorded: a new state, or that the event was not handled.
    public var expected: ReducerOutcome<State>
    /// What the replay came to.
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
