extension Feedback {
    /// A feedback that runs for every new state that passes a filter.
    /// - Parameters:
    ///   - filter: Decides which states count; a throw is a fault and counts as false.
    ///   - strategy: How a new start treats an earlier run.
    ///   - effect: Finishes before it returns, or continues and ends with `Run.finish()`.
    @inlinable
    public static func onState(
        _ name: String = "", where filter: (@Sendable (State) throws -> Bool)? = nil,
        strategy: Strategy = .cancelOnNewState,
        run effect: @escaping @Sendable (State, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        onState(name, where: filter, strategy: strategy, adapted: { state, _, run in try effect(state, run) })
    }

    /// A feedback that runs for every new state that passes a filter, and emits at most one event.
    /// - Parameters:
    ///   - filter: Decides which states count; a throw is a fault and counts as false.
    ///   - strategy: How a new start treats an earlier run.
    ///   - effect: Returns the event to emit.
    @inlinable
    public static func onState(
        _ name: String = "", where filter: (@Sendable (State) throws -> Bool)? = nil,
        strategy: Strategy = .cancelOnNewState, effect: @escaping @Sendable (State) throws -> Event?
    ) -> Feedback {
        onState(
            name, where: filter, strategy: strategy,
            adapted: { state, _, run in
                if let event = try effect(state) { run.emit(event) }
                return .finished
            })
    }

    @inlinable
    static func onState(
        _ name: String, where filter: (@Sendable (State) throws -> Bool)?, strategy: Strategy,
        adapted effect: @escaping FeedbackMemory<State, Event>.SendableEffect
    ) -> Feedback {
        let decide: @Sendable (State, Event?) throws -> RequestChange =
            if let filter {
                { state, _ in try filter(state) ? .new : .none }
            } else {
                { _, _ in .new }
            }
        return Feedback(name, policy: strategy.policy(.state)) {
            FeedbackMemory(decide: decide, effect: effect, detached: { effect })
        }
    }
}
