public import HostLoop
public import HostLoopFlow

/// Feedbacks of a function of the state, by their names in Spin.Swift.
///
/// These rules hold for all of them. A state that the filter rejects cancels the run of an earlier one,
/// unless the strategy differs. A filter that throws is a fault and counts as false. Filter and lens are
/// called for each new state, equal to the one before or not, and the lens once more for each run. An error
/// of an effect is a fault, too, unless `catch` makes an event of it. The loop continues; in the original the
/// effect's run, or the loop, ends silently. `on:` moves the whole effect to an executor. `applying:` is the
/// strategy for an earlier run.
extension Feedback {
    /// A feedback that emits an event for every state. So the loop never rests, unless a filter, `until` or
    /// an unhandled event ends that.
    @inlinable
    public init(
        directEffect effect: @escaping @Sendable (State) throws -> Event,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.onState("", where: filter, strategy: strategy, effect: effect).moved(to: executor)
    }

    /// A feedback that emits a flow of events for a state. The flow is cancelled with the run.
    /// - Parameters:
    ///   - effect: Gets a state. Called where the feedback executes.
    ///   - filter: The states that start an effect. Called on the loop's executor.
    ///   - executor: The executor of the effect; nil is the loop's own.
    ///   - strategy: The strategy for the run of an earlier state.
    @inlinable
    public init(
        effect: @escaping @Sendable (State) throws -> Flow<Event>,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.onState("", where: filter, strategy: strategy, flow: effect).moved(to: executor)
    }

    /// A feedback that emits an event or none for a state, without waiting.
    @inlinable @_disfavoredOverload
    public init(
        effect: @escaping @Sendable (State) throws -> Event?,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.onState("", where: filter, strategy: strategy, effect: effect).moved(to: executor)
    }

    /// A feedback that emits an event or none for a state, from a task of its own, which is cancelled with
    /// the run.
    @_disfavoredOverload
    public init(
        effect: @escaping @Sendable (State) async throws -> Event?,
        filteredBy filter: (@Sendable (State) throws -> Bool)? = nil, on executor: LoopExecutor? = nil,
        applying strategy: Strategy = .cancelOnNewState
    ) {
        self = Feedback.onState("", where: filter, strategy: strategy, async: effect).moved(to: executor)
    }

    /// A feedback that gets every state that passes the filter, in order, without a gap. It emits no events,
    /// so it needs no strategy. For a closure of a single `if`, use `render:`: the compiler needs to know
    /// that it returns nothing.
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
