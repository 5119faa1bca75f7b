public import HostLoop

extension Feedback {
    /// A feedback that runs for every new state that passes a filter; its effect is a flow of events.
    /// - Parameters:
    ///   - filter: Returns whether a state starts a run; a throw is a fault and counts as false.
    ///   - strategy: How a new run affects an earlier run.
    ///   - effect: Returns the flow. The run subscribes to it, and cancels it when the run is cancelled.
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

    /// A feedback that runs when the request of the state has changed; its effect is a flow of events.
    /// - Parameters:
    ///   - request: Returns the request of a state; called once per new state. A throw is a fault and counts
    ///     as nil.
    ///   - effect: Returns the flow. The run subscribes to it, and cancels it when the run is cancelled.
    @inlinable @_disfavoredOverload
    public static func onChange<Request: Equatable & Sendable>(
        _ name: String = "", request: @escaping @Sendable (State) throws -> Request?,
        flow effect: @escaping @Sendable (Request) throws -> Flow<Event>
    ) -> Feedback {
        onChange(
            name, request: request, run: { request, run in try effect(request).start(for: run) })
    }

    /// A feedback that runs for every handled event that passes a filter; its effect is a flow of events.
    /// - Parameters:
    ///   - filter: Gets the new state and the event that caused it; a throw is a fault and counts as false.
    ///   - strategy: How a new run affects an earlier run.
    ///   - effect: Gets the new state and the event that caused it, and returns the flow. The run subscribes to
    ///     it, and cancels it when the run is cancelled.
    @inlinable @_disfavoredOverload
    public static func onEvent(
        _ name: String = "", where filter: (@Sendable (State, Event) throws -> Bool)? = nil,
        strategy: Strategy = .queue,
        flow effect: @escaping @Sendable (State, Event) throws -> Flow<Event>
    ) -> Feedback {
        onEvent(
            name, where: filter, strategy: strategy,
            run: { state, event, run in try effect(state, event).start(for: run) })
    }

    /// A feedback with one run for the loop's life; its events come from a flow that ignores the states.
    /// - Parameter source: Called once, without arguments, to return the flow. The run subscribes to it at
    ///   the initial state.
    public static func always(
        _ name: String = "", source: @escaping @Sendable () throws -> Flow<Event>
    ) -> Feedback {
        always(name, run: { _, run in try source().start(for: run) })
    }

    /// A feedback with one run for the loop's life, which makes a flow of events from the flow of states.
    /// - Parameter stream: Called once per loop. The flow of states emits one state at a time, where the
    ///   effect executes. It emits the initial state during the subscription to the flow of events, then
    ///   every later state. All events that come for one state, before the next state, are one entry of the
    ///   queue. A further subscription to the states first receives the newest state.
    public static func always(
        _ name: String = "", stream: @escaping @Sendable (Flow<State>) throws -> Flow<Event>
    ) -> Feedback {
        always(
            name,
            memory: {
                let states = Gear<State>(replaying: 1)
                return (
                    effect: { state, run in
                        // A delayed or repeated call must not replay an old state.
                        if states.newest == nil { states.propagate(event: state) }
                        return try stream(states.flow).start(for: run)
                    }, receive: { state, _ in states.propagate(event: state) }
                )
            })
    }
}
