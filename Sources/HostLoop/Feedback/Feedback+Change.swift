extension Feedback {
    /// A feedback that runs when the request that a state makes has changed.
    ///
    /// No request (nil) ends the run. An equal request keeps it, and a different one replaces it. After a run
    /// has finished or failed, it starts again only when the request differs or was nil in between.
    /// - Parameters:
    ///   - request: Returns the state's request; called once per new state. A throw is a fault and counts as
    ///     nil.
    ///   - isEqual: Whether two requests are the same; the caller decides whether NaN equals itself.
    ///   - effect: Finishes before it returns, or continues and ends with `Run.finish()`.
    @inlinable
    public static func onChange<Request: Sendable>(
        _ name: String = "", request: @escaping @Sendable (State) throws -> Request?,
        isEqual: @escaping @Sendable (Request, Request) -> Bool,
        run effect: @escaping @Sendable (Request, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        onChange(name, request: request, isEqual: isEqual, with: { try effect($1, $2) })
    }

    /// The same for an effect that gets the state, too.
    ///
    /// - Parameter carried: Returns a request of the loop that this one continues as this one makes it.
    @inlinable
    package static func onChange<Request: Sendable>(
        _ name: String, request: @escaping @Sendable (State) throws -> Request?,
        isEqual: @escaping @Sendable (Request, Request) -> Bool,
        carried: @escaping @Sendable (Request) -> Request = { $0 },
        with effect: @escaping @Sendable (State, Request, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        let rules = LastRequest<State, Event, Request>.Rules(request, isEqual, carried, effect)
        return Feedback(name, policy: .change) {
            // A function that captures one object alone takes no memory of its own.
            let memory = LastRequest(rules)
            return FeedbackMemory(
                decide: { state, _ in try memory.change(state) },
                effect: { state, _, run in
                    guard let request = memory.last else { return .finished }
                    return try memory.rules.effect(state, request, run)
                },
                detached: {
                    let (rules, request) = (memory.rules, memory.last)
                    return { state, _, run in
                        guard let request else { return .finished }
                        return try rules.effect(state, request, run)
                    }
                }, kept: memory)
        }
    }

    /// A feedback that runs when the request that a state makes has changed, compared with `==`.
    /// - Parameters:
    ///   - request: Returns the state's request; called once per new state. A throw is a fault and counts as
    ///     nil.
    ///   - effect: Finishes before it returns, or continues and ends with `Run.finish()`.
    @inlinable
    public static func onChange<Request: Equatable & Sendable>(
        _ name: String = "", request: @escaping @Sendable (State) throws -> Request?,
        run effect: @escaping @Sendable (Request, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        onChange(name, request: request, isEqual: { $0 == $1 }, run: effect)
    }

    /// A feedback that runs when the request that a state makes has changed, compared with `==`, and emits at
    /// most one event.
    /// - Parameters:
    ///   - request: Returns the state's request; called once per new state. A throw is a fault and counts as
    ///     nil.
    ///   - effect: Returns the event to emit.
    @inlinable
    public static func onChange<Request: Equatable & Sendable>(
        _ name: String = "", request: @escaping @Sendable (State) throws -> Request?,
        effect: @escaping @Sendable (Request) throws -> Event?
    ) -> Feedback {
        onChange(name, request: request) { request, run in
            if let event = try effect(request) { run.emit(event) }
            return .finished
        }
    }

    /// A feedback on changes that keeps its own memory of the last request.
    /// - Parameter memory: Called once per loop, on the loop's executor, before the initial state is seen.
    @inlinable
    public static func onChange(
        _ name: String = "", memory: @escaping @Sendable () -> RequestMemory<State, Event>
    ) -> Feedback {
        Feedback(name, policy: .change) {
            let memory = memory()
            let detached = memory.detached.map { detach in
                { () -> FeedbackMemory<State, Event>.SendableEffect in
                    let effect = detach()
                    return { state, _, run in try effect(state, run) }
                }
            }
            return FeedbackMemory(
                decide: { state, _ in try memory.change(state) },
                effect: { state, _, run in try memory.effect(state, run) }, detached: detached)
        }
    }
}
