public import HostLoop

extension Feedback {
    /// A feedback with a run per key of the requests that a state makes, with a flow of events as its effect.
    /// - Parameters:
    ///   - requests: What the state asks for; called once per new state. A throw, or two requests with one
    ///     key, is a fault and counts as no requests.
    ///   - key: What a request is known by: while its key stays, an equal request keeps the run, a different
    ///     one replaces it.
    ///   - effect: Answers the flow, which is subscribed to for the run, and cancelled with it.
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

    /// A feedback with a run per member of the set of requests that a state makes, with a flow of events as
    /// its effect.
    /// - Parameters:
    ///   - requests: What the state asks for; called once per new state. A throw is a fault and counts as no
    ///     requests.
    ///   - effect: Answers the flow, which is subscribed to for the run, and cancelled with it.
    @_disfavoredOverload
    public static func onEach<Request: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> Set<Request>,
        flow effect: @escaping @Sendable (Request) throws -> Flow<Event>
    ) -> Feedback {
        onEach(name, requests: requests) { request, run in try effect(request).start(for: run) }
    }

    /// A feedback with a run per key, into which a changed value flows, with a flow of events as its effect.
    /// - Parameters:
    ///   - requests: What the state asks for, by key; called once per new state. A throw is a fault and counts
    ///     as no requests.
    ///   - effect: Called once per key, with its first value and a flow of its values: the newest at the
    ///     subscription, then each that differs from the one before, in order and none left out. Answers the
    ///     flow, which is subscribed to for the run, and cancelled with it.
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
