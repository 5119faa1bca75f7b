public import HostLoop
public import HostLoopFlow

/// Feedbacks of what a function picks out of the state, for states in which it succeeds; a failure counts as
/// a state that a filter rejects.
extension Feedback {
    /// A feedback that answers what was picked with an event.
    @inlinable
    public init<Part: Sendable>(
        directEffect effect: @escaping @Sendable (Part) throws -> Event,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(pick), strategy: strategy, event: effect).moved(to: executor)
    }

    /// A feedback that answers what was picked with a flow of events, which is cancelled with the run.
    /// - Parameters:
    ///   - effect: Gets what was picked; called where the feedback executes.
    ///   - pick: Picks a part of a state, or none; pure, for it is called by the filter and by the effect.
    ///   - executor: Where the effect executes; nil is the loop's own.
    ///   - strategy: What becomes of the run of an earlier state.
    @inlinable
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Flow<Event>,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(pick), strategy: strategy, flow: effect).moved(to: executor)
    }

    /// A feedback that answers what was picked with an event or none, without waiting.
    @inlinable @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Event?,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(pick), strategy: strategy, event: effect).moved(to: executor)
    }

    /// A feedback that answers what was picked with an event or none from a task of its own.
    @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) async throws -> Event?,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(pick), strategy: strategy, async: effect).moved(to: executor)
    }

    /// A feedback that is given what was picked, for every state in order, and has no events.
    @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Void,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil
    ) {
        self = Feedback.selecting(Selection(pick), render: effect).moved(to: executor)
    }
}
