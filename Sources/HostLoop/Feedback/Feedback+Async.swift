/// Each run calls the function in a task of its own, on Swift's cooperative pool, and cancels that task when
/// the run ends early.
extension Feedback {
    /// A feedback that runs for every new state that passes a filter, with an asynchronous effect.
    /// - Parameters:
    ///   - filter: Decides which states count; a throw is a fault and counts as false.
    ///   - strategy: How a new start treats an earlier run; its task is cancelled with it.
    ///   - effect: Called in a task of its own; returns the event to emit.
    @_disfavoredOverload
    public static func onState(
        _ name: String = "", where filter: (@Sendable (State) throws -> Bool)? = nil,
        strategy: Strategy = .cancelOnNewState,
        async effect: @escaping @Sendable (State) async throws -> Event?
    ) -> Feedback {
        onState(
            name, where: filter, strategy: strategy,
            run: { state, run in run.startTask { try await effect(state) } })
    }

    /// A feedback that runs when the request that a state makes has changed, with an asynchronous effect.
    /// - Parameters:
    ///   - request: Returns the state's request; called once per new state. A throw is a fault and counts as
    ///     nil.
    ///   - effect: Called in a task of its own, which is cancelled with the run; returns the event to emit.
    @_disfavoredOverload
    public static func onChange<Request: Equatable & Sendable>(
        _ name: String = "", request: @escaping @Sendable (State) throws -> Request?,
        async effect: @escaping @Sendable (Request) async throws -> Event?
    ) -> Feedback {
        onChange(
            name, request: request, run: { request, run in run.startTask { try await effect(request) } })
    }

    /// A feedback that runs for every handled event that passes a filter, with an asynchronous effect.
    /// - Parameters:
    ///   - filter: Gets the new state and the event that caused it; a throw is a fault and counts as false.
    ///   - strategy: How a new start treats an earlier run; its task is cancelled with it.
    ///   - effect: Called in a task of its own with the new state and the event that caused it; returns the event
    ///     to emit.
    @_disfavoredOverload
    public static func onEvent(
        _ name: String = "", where filter: (@Sendable (State, Event) throws -> Bool)? = nil,
        strategy: Strategy = .queue,
        async effect: @escaping @Sendable (State, Event) async throws -> Event?
    ) -> Feedback {
        onEvent(
            name, where: filter, strategy: strategy,
            run: { state, event, run in run.startTask { try await effect(state, event) } })
    }

    /// A feedback with one run per key of the requests that a state makes, with an asynchronous effect.
    /// - Parameters:
    ///   - requests: Returns the state's requests; called once per new state. A throw, or two requests with
    ///     one key, is a fault and counts as no requests.
    ///   - key: Tells the requests from each other: while a key stays, an equal request keeps its run, a
    ///     different one replaces it.
    ///   - effect: Called in a task of its own, which is cancelled with the run; returns the event to emit.
    @_disfavoredOverload
    public static func onEach<Request: Equatable & Sendable, Key: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> [Request],
        key: @escaping @Sendable (Request) -> Key,
        async effect: @escaping @Sendable (Request) async throws -> Event?
    ) -> Feedback {
        onEach(name, requests: requests, key: key) { request, run in
            run.startTask { try await effect(request) }
        }
    }

    /// A feedback with one run per member of the set of requests that a state makes, with an asynchronous
    /// effect.
    /// - Parameters:
    ///   - requests: Returns the state's requests; called once per new state. A throw is a fault and counts
    ///     as no requests.
    ///   - effect: Called in a task of its own, which is cancelled with the run; returns the event to emit.
    @_disfavoredOverload
    public static func onEach<Request: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> Set<Request>,
        async effect: @escaping @Sendable (Request) async throws -> Event?
    ) -> Feedback {
        onEach(name, requests: requests) { request, run in run.startTask { try await effect(request) } }
    }
}

extension Run {
    /// Emits the event that an asynchronous function returns, if any, and then ends the run.
    @usableFromInline
    func startTask(_ make: @escaping @Sendable () async throws -> Event?) -> EffectStatus {
        let task = Task {
            do {
                if let event = try await make() { _ = await sendOrDrop(event) }
                finish()
            } catch {
                fail(error)
            }
        }
        onCancel { task.cancel() }
        return .pending
    }

    /// `send`, except that an event of an ended run is counted as late although its task is cancelled.
    package nonisolated(nonsending) func sendOrDrop(_ event: Event) async -> EmitResult {
        isCancelled ? emit(event) : await send(event)
    }
}
