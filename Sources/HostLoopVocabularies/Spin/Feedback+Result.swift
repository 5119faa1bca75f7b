public import HostLoop
public import HostLoopFlow

/// Feedbacks of a part that a function selects, for states in which it succeeds. A failure counts as a state
/// that a filter rejects.
extension Feedback {
    /// A feedback that emits an event for the selected part.
    @inlinable
    public init<Part: Sendable>(
        directEffect effect: @escaping @Sendable (Part) throws -> Event,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(pick), strategy: strategy, event: effect).moved(to: executor)
    }

    /// A feedback that emits a flow of events for the selected part. The flow is cancelled with the run.
    /// - Parameters:
    ///   - effect: Gets the selected part. Called where the feedback executes.
    ///   - pick: Selects a part of a state, or none. It must be pure, since the filter and the effect call
    ///     it.
    ///   - executor: The executor of the effect; nil is the loop's own.
    ///   - strategy: The strategy for the run of an earlier state.
    @inlinable
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Flow<Event>,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(pick), strategy: strategy, flow: effect).moved(to: executor)
    }

    /// A feedback that emits an event or none for the selected part, without waiting.
    @inlinable @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Event?,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(pick), strategy: strategy, event: effect).moved(to: executor)
    }

    /// A feedback that emits an event or none for the selected part, from a task of its own.
    @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) async throws -> Event?,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(pick), strategy: strategy, async: effect).moved(to: executor)
    }

    /// A feedback that gets the selected part of every state, in order, and emits no events.
    @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Void,
        filteredByResult pick: @escaping @Sendable (State) -> Result<Part, FeedbackFilterError>,
        on executor: LoopExecutor? = nil
    ) {
        self = Feedback.selecting(Selection(pick), render: effect).moved(to: executor)
    }
}
