extension Feedback {
    /// A feedback with one run per key: each starts, is kept, is replaced and ends like the one run of
    /// `onChange`.
    ///
    /// A new key starts a run. An equal request keeps it, a different one replaces it, and it ends when the
    /// key disappears. After a run has finished or failed, it starts again only when its key's request
    /// differs, or when its key was gone in between. Runs are numbered across the keys. Endings come in the
    /// order of the last state's requests, starts in the order of the new ones.
    ///
    /// With `execute(on:)`, each key executes on its own: a call that cannot be interrupted holds up only
    /// later runs of the same key. Unlike in RxFeedback, the loop withdraws the unreduced events of a run
    /// that ends.
    /// - Parameters:
    ///   - requests: Returns the state's requests; called once per new state. A throw is a fault, and so are
    ///     two requests with the same key (`DuplicateKey`). Both count as no requests: every run ends.
    ///   - key: Tells the requests of one state from each other.
    ///   - effect: Finishes before it returns, or continues and ends with `Run.finish()`.
    @inlinable
    public static func onEach<Request: Equatable & Sendable, Key: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> [Request],
        key: @escaping @Sendable (Request) -> Key,
        run effect: @escaping @Sendable (Request, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        onEach(name, isOrdered: true, requests: requests, pairs: { $0.lazy.map { (key($0), $0) } }) {
            _, request in
            ({ _, _, run in try effect(request, run) }, nil)
        }
    }

    /// A feedback with one run per key, whose effect emits at most one event.
    /// - Parameters:
    ///   - requests: Returns the state's requests; called once per new state. A throw is a fault, and so are
    ///     two requests with the same key (`DuplicateKey`); both count as no requests: every run is ended.
    ///   - key: Tells the requests of one state from each other.
    ///   - effect: Returns the event to emit.
    @inlinable
    public static func onEach<Request: Equatable & Sendable, Key: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> [Request],
        key: @escaping @Sendable (Request) -> Key,
        effect: @escaping @Sendable (Request) throws -> Event?
    ) -> Feedback {
        onEach(name, requests: requests, key: key) { request, run in
            if let event = try effect(request) { run.emit(event) }
            return .finished
        }
    }

    /// A feedback with one run per member of a set. A new member starts a run. The run ends when the member
    /// disappears.
    ///
    /// Endings and starts come in increasing order if `Request` is `Comparable`, otherwise in no defined
    /// order.
    /// - Parameters:
    ///   - requests: Returns the state's requests; called once per new state. A throw is a fault and counts
    ///     as the empty set.
    ///   - effect: Finishes before it returns, or continues and ends with `Run.finish()`.
    @inlinable
    public static func onEach<Request: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> Set<Request>,
        run effect: @escaping @Sendable (Request, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        onEach(name, isOrdered: false, requests: requests, pairs: { $0.lazy.map { ($0, $0) } }) {
            _, request in
            ({ _, _, run in try effect(request, run) }, nil)
        }
    }

    /// A feedback with one run per member of a set, whose effect emits at most one event.
    /// - Parameters:
    ///   - requests: Returns the state's requests; called once per new state. A throw is a fault and counts
    ///     as the empty set.
    ///   - effect: Returns the event to emit.
    @inlinable
    public static func onEach<Request: Hashable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> Set<Request>,
        effect: @escaping @Sendable (Request) throws -> Event?
    ) -> Feedback {
        onEach(name, requests: requests) { request, run in
            if let event = try effect(request) { run.emit(event) }
            return .finished
        }
    }

    /// A feedback with one run per key that may continue another one: see `LoopSuccession`.
    /// - Parameter before: Returns the last requests of the continued feedback, as this one makes them.
    ///   Called once, when this feedback continues another. Equal requests are not new. Other keys keep the
    ///   requests that they have, as `carried` makes them.
    package static func onEach<Request: Equatable & Sendable, Key: Hashable & Sendable>(
        _ name: String, requests: @escaping @Sendable (State) throws -> [Request],
        key: @escaping @Sendable (Request) -> Key, since before: @escaping @Sendable () -> [Request],
        carried: @escaping @Sendable (Request) -> Request = { $0 },
        run effect: @escaping @Sendable (Request, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        onEach(
            name, isOrdered: true, requests: requests, since: before, carried: carried,
            pairs: { $0.lazy.map { (key($0), $0) } },
            start: { _, request in ({ _, _, run in try effect(request, run) }, nil) })
    }

    /// - Parameters:
    ///   - isOrdered: Whether the order of the pairs has a meaning.
    ///   - before: Returns the last requests of the continued feedback; nil if there is none.
    ///   - carried: Returns a request of the continued feedback as this one makes it.
    ///   - pairs: Returns the keys and values of requests that differ from the last ones.
    ///   - start: Returns the effect of a new run.
    @inlinable
    static func onEach<Requests: Equatable & Sendable, Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ name: String, isOrdered: Bool, requests: @escaping @Sendable (State) throws -> Requests,
        since before: (@Sendable () -> Requests)? = nil,
        carried: @escaping @Sendable (Value) -> Value = { $0 },
        pairs: @escaping @Sendable (Requests) -> some Sequence<(Key, Value)>,
        start: @escaping KeyedRequests<State, Event, Key, Value>.Start
    ) -> Feedback {
        Feedback(name, policy: .each) {
            let table = KeyedRequests<State, Event, Key, Value>(isOrdered: isOrdered, start: start)
            var last: Requests?
            let runs = table.runs
            if let before {
                runs.inherit = { [unowned table] in table.inherit(from: $0, Array(pairs(before())), carried) }
            }
            return FeedbackMemory(
                decide: { state, _ in
                    do {
                        let next = try requests(state)
                        if let last, last == next { return .same }
                        let change = try table.change(to: pairs(next))
                        last = next
                        return change
                    } catch {
                        last = nil
                        table.removeAll()
                        throw error
                    }
                },
                effect: { state, event, run in try runs.startingEffect(state, event, run) },
                detached: { runs.startingEffect }, keyedRole: .allKeys(runs))
        }
    }
}
