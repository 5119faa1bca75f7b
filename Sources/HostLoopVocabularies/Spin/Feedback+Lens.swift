public import HostLoop
public import HostLoopFlow

/// Feedbacks of a function of a part of the state: see `Feedback.init(effect:filteredBy:on:applying:)`.
///
/// A key path literal is a lens: `lensingOn: \.left`. Parts are not compared: an effect runs for each new
/// state, also when its part is the same; `onChange` is for effects that should not.
extension Feedback {
    /// A feedback that answers a part of the state with an event.
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

    /// A feedback that answers a part of the state with a flow of events, which is cancelled with the run.
    /// - Parameters:
    ///   - effect: Gets the part; called where the feedback executes.
    ///   - lens: Takes the part out of a state; pure, for it is called by the filter and by the effect.
    ///   - filter: Which parts count; called on the loop's executor.
    ///   - executor: Where the effect executes; nil is the loop's own.
    ///   - strategy: What becomes of the run of an earlier state.
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

    /// A feedback that answers a part of the state with an event or none, without waiting.
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

    /// A feedback that answers a part of the state with an event or none from a task of its own.
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

    /// A feedback that is given a part of the state, for every state in order, and has no events.
    @_disfavoredOverload
    public init<Part: Sendable>(
        effect: @escaping @Sendable (Part) throws -> Void,
        lensingOn lens: @escaping @Sendable (State) throws -> Part,
        filteredBy filter: (@Sendable (Part) throws -> Bool)? = nil, on executor: LoopExecutor? = nil
    ) {
        self = Feedback.selecting(Selection(lens: lens, filter: filter), render: effect).moved(to: executor)
    }
}
