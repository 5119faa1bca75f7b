public import HostLoop
public import HostLoopFlow

/// Feedbacks of a function of the state, in the words of Spin.Swift.
///
/// In all of them: a state that the filter rejects cancels the run of an earlier one, unless the strategy
/// says otherwise; a filter that throws is a fault and counts as false; filter and lens are called for each
/// new state, equal to the one before or not, and the lens once more for each run. What an effect throws is a
/// fault too, unless `catch` makes an event of it, and the loop lives on; in the original the effect's run,
/// or the loop, ended silently. `on:` moves the whole effect to an executor, `applying:` says what becomes of
/// an earlier run.
extension Feedback {
    /// A feedback that answers every state with an event: it never rests, unless a filter, `until` or the
    /// reducer, which may leave the event unhandled, ends that.
    @inlinable
    public init(
        directEffect effect: @escaping @Sendable (State) throws -> Event,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.onState("", where: filter, strategy: strategy, effect: effect).moved(to: executor)
    }

    /// A feedback that answers a state with a flow of events, which is cancelled with the run.
    /// - Parameters:
    ///   - effect: Gets a state; called where the feedback executes.
    ///   - filter: Which states count; called on the loop's executor.
    ///   - executor: Where the effect executes; nil is the loop's own.
    ///   - strategy: What becomes of the run of an earlier state.
    @inlinable
    public init(
        effect: @escaping @Sendable (State) throws -> Flow<Event>,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.onState("", where: filter, strategy: strategy, flow: effect).moved(to: executor)
    }

    /// A feedback that answers a state with an event or none, without waiting.
    @inlinable @_disfavoredOverload
    public init(
        effect: @escaping @Sendable (State) throws -> Event?,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.onState("", where: filter, strategy: strategy, effect: effect).moved(to: executor)
    }

    /// A feedback that answers a state with an event or none from a task of its own, which is cancelled with
    /// the run.
    @_disfavoredOverload
    public init(
        effect: @escaping @Sendable (State) async throws -> Event?,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.onState("", where: filter, strategy: strategy, async: effect).moved(to: executor)
    }

    /// A feedback that is given every state that passes the filter, in order and none left out, and has no
    /// events; so there is no strategy to choose. A closure of a single `if` is written with `render:`, which
    /// tells the compiler that it answers nothing.
    @_disfavoredOverload
    public init(
        effect render: @escaping @Sendable (State) throws -> Void,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil
    ) {
        guard let filter else {
            self = Feedback(render: render).moved(to: executor)
            return
        }
        self = Feedback(render: { state in if try filter(state) { try render(state) } }).moved(to: executor)
    }
}
