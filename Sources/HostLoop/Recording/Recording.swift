/// The events and states of a loop, in order, so that a test can reduce the events again.
///
/// It contains the order of the events but not their times, because a reducer does not use time. A replay
/// needs no feedbacks, because the recording contains the events that they emitted.
public struct Recording<State: Sendable, Event: Sendable>: Sendable {
    /// One event and its outcome.
    public struct Entry: Sendable {
        /// The event that the loop took.
        public var event: Event
        /// The run that emitted the event; nil if no run of the loop emitted it.
        public var run: EffectRun?
        /// The new state; nil when the reducer did not handle the event.
        public var state: State?

        /// Makes an entry.
        public init(event: Event, run: EffectRun? = nil, state: State?) {
            self.event = event
            self.run = run
            self.state = state
        }
    }

    /// The state before the first entry.
    public var initialState: State
    /// Every handled and unhandled event, in order. An event on which the reducer failed is not included,
    /// because it did not change the state.
    public var entries: [Entry]
    /// The number of entries before the first one that were not kept.
    public var dropped: UInt64

    /// Makes a recording by hand.
    public init(initialState: State, entries: [Entry] = [], dropped: UInt64 = 0) {
        self.initialState = initialState
        self.entries = entries
        self.dropped = dropped
    }

    /// The initial state and the state after each handled event.
    public var states: [State] { [initialState] + entries.compactMap(\.state) }
}

extension Recording: Codable where State: Codable, Event: Codable {}
extension Recording: Equatable where State: Equatable, Event: Equatable {}
extension Recording.Entry: Equatable where State: Equatable, Event: Equatable {}
