public import HostLoop

extension Feedback {
    /// A feedback with one run per key of the state's requests; its effect is a flow of events.
    /// - Parameters:
    ///   - requests: Returns the requests of a state; called once per new state. A throw, or two requests
    ///     with one key, is a fault and counts as no requests.
    ///   - key: Returns the identity of a request. While a key stays, an equal request keeps the run, and a
    ///     different request replaces it.
    ///   - effect: Returns the flow. The run subscribes to it, and cancels it when the run is cancelled.
    @_disfavoredOverload
    public static func onEach<Request: Equatable & Sendable, Key: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> [Request],
        key: @escaping @Sendable (Request) -> Key,
        flow effect: @escaping @Sendable (Request) throws -> Flow<Event>
    ) -> Feedback {
        onEach(name, requests: requests, key: key) { request, run in
            try effect(request).start(for: run)
        }
    }

    /// A feedback with one run per request of the state; its effect is a flow of events.
    /// - Parameters:
    ///   - requests: Returns the set of requests of a state; called once per new state. A throw is a fault
    ///     and counts as no requests.
    ///   - effect: Returns the flow. The run subscribes to it, and cancels it when the run is cancelled.
    @_disfavoredOverload
    public static func onEach<Request: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> Set<Request>,
        flow effect: @escaping @Sendable (Request) throws -> Flow<Event>
    ) -> Feedback {
        onEach(name, requests: requests) { request, run in try effect(request).start(for: run) }
    }

    /// A feedback with one run per key, which receives the changed values of its key. Its effect is a flow of
    /// events.
    /// - Parameters:
    ///   - requests: Returns the requests of a state by key; called once per new state. A throw is a fault
    ///     and counts as no requests.
    ///   - effect: Called once per key, with its first value and a flow of its values. That flow emits the
    ///     newest value at the subscription, then every value that differs from the previous one, in order.
    ///     Returns the flow of events. The run subscribes to it, and cancels it when the run is cancelled.
    @_disfavoredOverload
    public static func onEach<Key: Hashable & Sendable, Request: Equatable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> [Key: Request],
        flow effect: @escaping @Sendable (Key, Request, Flow<Request>) throws -> Flow<Event>
    ) -> Feedback {
        onEach(name, requests: requests) { key, first, run -> KeyedStatus<Request, Event> in
            let values = Gear<Request>(replaying: 1)
            values.propagate(event: first)
            let status = try effect(key, first, values.flow).start(for: run)
            return status == .finished ? .finished : .pending { value, _ in values.propagate(event: value) }
        }
    }
}
