public import HostLoop

extension Feedback {
    /// A feedback that runs for every new state that passes a filter, with a flow of events as its effect.
    /// - Parameters:
    ///   - filter: Which states count; a throw is a fault and counts as false.
    ///   - strategy: What becomes of an earlier run.
    ///   - effect: Answers the flow, which is subscribed to for the run, and cancelled with it.
    @inlinable @_disfavoredOverload
    public static func onState(
        _ name: String = "", where filter: (@Sendable (State) throws -> Bool)? = nil,
        strategy: Strategy = .cancelOnNewState,
        flow effect: @escaping @Sendable (State) throws -> Flow<Event>
    ) -> Feedback {
        onState(
            name, where: filter, strategy: strategy,
            run: { state, run in try effect(state).start(for: run) })
    }

    /// A feedback that runs when the request that a state makes has changed, with a flow of events as its
    /// effect.
    /// - Parameters:
    ///   - request: What the state asks for; called once per new state. A throw is a fault and counts as nil.
    ///   - effect: Answers the flow, which is subscribed to for the run, and cancelled with it.
    @inlinable @_disfavoredOverload
    public static func onChange<Request: Equatable & Sendable>(
        _ name: String = "", request: @escaping @Sendable (State) throws -> Request?,
        flow effect: @escaping @Sendable (Request) throws -> Flow<Event>
    ) -> Feedback {
        onChange(
            name, request: request, run: { request, run in try effect(request).start(for: run) })
    }

    /// A feedback that runs for every handled event that passes a filter, with a flow of events as its
    /// effect.
    /// - Parameters:
    ///   - filter: Gets the event and the state that it caused; a throw is a fault and counts as false.
    ///   - strategy: What becomes of an earlier run.
    ///   - effect: Gets the event and the state that it caused; answers the flow, which is subscribed to for
    ///     the run, and cancelled with it.
    @inlinable @_disfavoredOverload
    public static func onEvent(
        _ name: String = "", where filter: (@Sendable (Event, State) throws -> Bool)? = nil,
        strategy: Strategy = .queue,
        flow effect: @escaping @Sendable (Event, State) throws -> Flow<Event>
    ) -> Feedback {
        onEvent(
            name, where: filter, strategy: strategy,
            run: { event, state, run in try effect(event, state).start(for: run) })
    }

    /// A feedback with one run for the loop's life, whose events come from a flow that ignores the states.
    /// - Parameter source: Called once with nothing; its flow is subscribed to when the initial state is seen.
    public static func always(
        _ name: String = "", source: @escaping @Sendable () throws -> Flow<Event>
    ) -> Feedback {
        always(name, run: { _, run in try source().start(for: run) })
    }

    /// A feedback with one run for the loop's life, which makes a flow of events out of the flow of states.
    /// - Parameter stream: Called once per loop. The states come one at a time, where the effect executes:
    ///   the initial one while the events' flow is being subscribed to, then every later one; what a state
    ///   gives rise to before the next is one entry of the queue. Who subscribes to the states again gets
    ///   the newest first.
    public static func always(
        _ name: String = "", stream: @escaping @Sendable (Flow<State>) throws -> Flow<Event>
    ) -> Feedback {
        always(
            name,
            memory: {
                let states = Gear<State>(replaying: 1)
                return (
                    effect: { state, run in
                        // A delayed or repeated call must not replay a state that is older than the newest.
                        if states.newest == nil { states.propagate(event: state) }
                        return try stream(states.flow).start(for: run)
                    }, receive: { state, _ in states.propagate(event: state) }
                )
            })
    }
}
