extension Feedback {
    /// A feedback that runs for every new state that passes a filter, with a flow of events as its effect.
    /// - Parameters:
    ///   - filter: Which states count; a throw is a fault and counts as false.
    ///   - strategy: What becomes of an earlier run.
    ///   - effect: Answers the flow, which is subscribed to for the run, and cancelled with it.
    @inlinable @_disfavoredOverload
    public static func onState(
        _ name: String = "", where filter: (@Sendable (State) throws -> Bool)? = nil,
        strategy: StateStrategy = .cancelOnNewState,
        flow effect: @escaping @Sendable (State) throws -> Flow<Event>
    ) -> Feedback {
        onState(
            name, where: filter, strategy: strategy,
            run: { state, run in try effect(state).start(for: run) })
    }

    /// A feedback that runs for every new state that passes a filter, with an asynchronous effect.
    /// - Parameters:
    ///   - filter: Which states count; a throw is a fault and counts as false.
    ///   - strategy: What becomes of an earlier run, whose task is cancelled with it.
    ///   - effect: Called in a task of its own; answers the event to emit.
    @_disfavoredOverload
    public static func onState(
        _ name: String = "", where filter: (@Sendable (State) throws -> Bool)? = nil,
        strategy: StateStrategy = .cancelOnNewState,
        async effect: @escaping @Sendable (State) async throws -> Event?
    ) -> Feedback {
        onState(
            name, where: filter, strategy: strategy, flow: { state in .event { try await effect(state) } })
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

    /// A feedback that runs when the request that a state makes has changed, with an asynchronous effect.
    /// - Parameters:
    ///   - request: What the state asks for; called once per new state. A throw is a fault and counts as nil.
    ///   - effect: Called in a task of its own, which is cancelled with the run; answers the event to emit.
    @_disfavoredOverload
    public static func onChange<Request: Equatable & Sendable>(
        _ name: String = "", request: @escaping @Sendable (State) throws -> Request?,
        async effect: @escaping @Sendable (Request) async throws -> Event?
    ) -> Feedback {
        onChange(name, request: request, flow: { request in .event { try await effect(request) } })
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
        strategy: EventStrategy = .queue,
        flow effect: @escaping @Sendable (Event, State) throws -> Flow<Event>
    ) -> Feedback {
        onEvent(
            name, where: filter, strategy: strategy,
            run: { event, state, run in try effect(event, state).start(for: run) })
    }

    /// A feedback that runs for every handled event that passes a filter, with an asynchronous effect.
    /// - Parameters:
    ///   - filter: Gets the event and the state that it caused; a throw is a fault and counts as false.
    ///   - strategy: What becomes of an earlier run, whose task is cancelled with it.
    ///   - effect: Called in a task of its own with the event and the state that it caused; answers the event
    ///     to emit.
    @_disfavoredOverload
    public static func onEvent(
        _ name: String = "", where filter: (@Sendable (Event, State) throws -> Bool)? = nil,
        strategy: EventStrategy = .queue,
        async effect: @escaping @Sendable (Event, State) async throws -> Event?
    ) -> Feedback {
        onEvent(
            name, where: filter, strategy: strategy,
            flow: { event, state in .event { try await effect(event, state) } })
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
        Feedback(name, policy: .always) {
            let states = FlowHub<State>(replaying: true)
            return .always(
                effect: { state, _, run in
                    // Called later, or again, it must not go back behind what has come meanwhile.
                    if states.latest == nil { states.push(state) }
                    return try stream(states.flow).start(for: run)
                },
                receive: { state, _ in states.push(state) })
        }
    }

    /// A feedback that emits an event when a condition has held for a while: a delayed transition.
    /// - Parameters:
    ///   - delay: By the loop's clock, from the first state of which the condition is true.
    ///   - condition: A state of which it is false takes the event back, emitted or not, unless it is
    ///     reduced; once emitted it is not repeated until the condition was false in between.
    ///   - event: Makes the event when the time has come.
    public static func after(
        _ name: String = "", _ delay: Duration, while condition: @escaping @Sendable (State) throws -> Bool,
        emit event: @escaping @Sendable () -> Event
    ) -> Feedback {
        onChange(
            name, request: { try condition($0) ? true : nil },
            run: { _, run in
                run.emit(event())
                return .finished
            }
        ).delay(for: delay)
    }
}

extension Flow {
    /// The event, or none, that an asynchronous function answers.
    static func event(_ make: @escaping @Sendable () async throws -> Value?) -> Flow {
        run { sink in
            if let event = try await make() { await sink.send(event) }
        }
    }
}
