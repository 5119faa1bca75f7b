public import HostLoop
public import HostLoopFlow

/// Feedbacks of a function of a part of the state: see `Feedback.init(effect:filteredBy:on:applying:)`.
///
/// A key path literal is a lens: `lensingOn: \.left`. Parts are not compared: an effect runs for each new
/// state, even if its part is the same. `onChange` compares.
extension Feedback {
    /// A feedback that emits an event for a part of the state.
    @inlinable
    public init<Part: Sendable>(
        directEffect effect: @escaping @Sendable (Part) throws -> Event,
        lensingOn lens: @escaping @Sendable (State) throws -> Part,
        filteredBy filter: (@Sendable (Part) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(lens: lens, filter: filter), strategy: strategy, event: effect)
            .moved(to: executor)
    }

    /// A feedback that emits a flow of events for a part of the state. The flow is cancelled with the run.
    /// - Parameters:
    ///   - effect: Gets the part. Called where the feedback executes.
    ///   - lens: Returns the part of a state. It must be pure, since the filter and the effect call it.
    ///   - filter: The parts that start an effect. Called on the loop's executor.
    ///   - executor: The executor of the effect; nil is the loop's own.
    ///   - strategy: The strategy for the run of an earlier state.
    @inlinable
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Flow<Event>,
        lensingOn lens: @escaping @Sendable (State) throws -> Part,
        filteredBy filter: (@Sendable (Part) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(lens: lens, filter: filter), strategy: strategy, flow: effect)
            .moved(to: executor)
    }

    /// A feedback that emits an event or none for a part of the state, without waiting.
    @inlinable @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Event?,
        lensingOn lens: @escaping @Sendable (State) throws -> Part,
        filteredBy filter: (@Sendable (Part) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(lens: lens, filter: filter), strategy: strategy, event: effect)
            .moved(to: executor)
    }

    /// A feedback that emits an event or none for a part of the state, from a task of its own.
    @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) async throws -> Event?,
        lensingOn lens: @escaping @Sendable (State) throws -> Part,
        filteredBy filter: (@Sendable (Part) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.selecting(Selection(lens: lens, filter: filter), strategy: strategy, async: effect)
            .moved(to: executor)
    }

    /// A feedback that gets a part of every state, in order, and emits no events.
    @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Void,
        lensingOn lens: @escaping @Sendable (State) throws -> Part,
        filteredBy filter: (@Sendable (Part) throws -> Bool)? = nil, on executor: LoopExecutor? = nil
    ) {
        self = Feedback.selecting(Selection(lens: lens, filter: filter), render: effect).moved(to: executor)
    }
}
