/// What a loop reduced, in order: enough to reduce it again.
///
/// It knows the order of the events, not their times: a reducer has none. Nothing of the feedbacks is needed
/// for a replay, because what they emitted is among the events.
public struct Recording<State: Sendable, Event: Sendable>: Sendable {
    /// One event and what became of it.
    public struct Entry: Sendable {
        /// The event that was taken.
        public var event: Event
        /// The run that emitted the event; nil for one that no run of the loop emitted.
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
    /// Every event that was handled or left unhandled, in order. One that the reducer failed on is not among
    /// them: it left the state as it was.
    public var entries: [Entry]
    /// How many entries came before the first one and were not kept.
    public var dropped: UInt64

    /// Makes a recording; for one that was not recorded, or was changed.
    public init(initialState: State, entries: [Entry] = [], dropped: UInt64 = 0) {
        self.initialState = initialState
        self.entries = entries
        self.dropped = dropped
    }

    /// The initial state and the one after each handled event.
    public var states: [State] { [initialState] + entries.compactMap(\.state) }
}

extension Recording: Codable where State: Codable, Event: Codable {}
extension Recording: Equatable where State: Equatable, Event: Equatable {}
extension Recording.Entry: Equatable where State: Equatable, Event: Equatable {}
