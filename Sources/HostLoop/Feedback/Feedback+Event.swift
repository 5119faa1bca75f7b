extension Feedback {
    /// A feedback that runs for every handled event that passes a filter.
    /// - Parameters:
    ///   - filter: Gets the new state and the event that caused it; a throw is a fault and counts as false.
    ///   - strategy: How a new start treats an earlier run.
    ///   - effect: Gets the new state and the event that caused it; finishes before it returns, or continues and
    ///     ends with `Run.finish()`.
    @inlinable
    public static func onEvent(
        _ name: String = "", where filter: (@Sendable (State, Event) throws -> Bool)? = nil,
        strategy: Strategy = .queue,
        run effect: @escaping @Sendable (State, Event, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        let adapted: FeedbackMemory<State, Event>.SendableEffect = { state, event, run in
            guard let event else { return .finished }
            return try effect(state, event, run)
        }
        let decide: @Sendable (State, Event?) throws -> RequestChange = { state, event in
            guard let event, try filter?(state, event) ?? true else { return .none }
            return .new
        }
        return Feedback(name, policy: strategy.policy(.event)) {
            FeedbackMemory(decide: decide, effect: adapted, detached: { adapted })
        }
    }

    /// A feedback that runs for every handled event that passes a filter, and emits at most one event.
    /// - Parameters:
    ///   - filter: Gets the new state and the event that caused it; a throw is a fault and counts as false.
    ///   - strategy: How a new start treats an earlier run.
    ///   - effect: Gets the new state and the event that caused it; returns the event to emit.
    @inlinable
    public static func onEvent(
        _ name: String = "", where filter: (@Sendable (State, Event) throws -> Bool)? = nil,
        strategy: Strategy = .queue, effect: @escaping @Sendable (State, Event) throws -> Event?
    ) -> Feedback {
        onEvent(
            name, where: filter, strategy: strategy,
            run: { state, event, run in
                if let event = try effect(state, event) { run.emit(event) }
                return .finished
            })
    }
}
