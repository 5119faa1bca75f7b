extension Feedback {
    /// A feedback with one run per key: each starts, is kept, replaced and ended as the one run of `onChange`
    /// is.
    ///
    /// A key that appears starts a run, an equal request keeps it, a different one replaces it, and a key that
    /// disappears ends it. A run that finished or failed is not repeated until its key's request differs or
    /// its key was gone in between. Runs are numbered across the keys. Endings come in the order of the last
    /// state's requests, starts in the order of the new ones. `execute(on:)` gives each key a place of its
    /// own: a call that cannot be interrupted holds up later runs of the same key only. Unlike RxFeedback's,
    /// a run that is ended takes its unreduced events with it.
    /// - Parameters:
    ///   - requests: What the state asks for; called once per new state. A throw is a fault, and so are two
    ///     requests with the same key (`DuplicateKey`); both count as no requests: every run is ended.
    ///   - key: What tells the requests of one state apart.
    ///   - effect: Finishes before it returns, or goes on and ends with `Run.finish()`.
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
    ///   - requests: What the state asks for; called once per new state. A throw is a fault, and so are two
    ///     requests with the same key (`DuplicateKey`); both count as no requests: every run is ended.
    ///   - key: What tells the requests of one state apart.
    ///   - effect: Answers the event to emit.
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

    /// A feedback with one run per member of a set: a member that appears starts a run, one that disappears
    /// ends it.
    ///
    /// Endings and starts come in increasing order if `Request` is `Comparable`, else in none to rely on.
    /// - Parameters:
    ///   - requests: What the state asks for; called once per new state. A throw is a fault and counts as the
    ///     empty set.
    ///   - effect: Finishes before it returns, or goes on and ends with `Run.finish()`.
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
    ///   - requests: What the state asks for; called once per new state. A throw is a fault and counts as the
    ///     empty set.
    ///   - effect: Answers the event to emit.
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

    /// A feedback with one run per key that may go on in the place of another one: see `LoopSuccession`.
    /// - Parameter before: The last requests of the feedback whose place this one takes, as this one makes them; called once, when it
    ///   does. Equal ones are no new requests.
    package static func onEach<Request: Equatable & Sendable, Key: Hashable & Sendable>(
        _ name: String, requests: @escaping @Sendable (State) throws -> [Request],
        key: @escaping @Sendable (Request) -> Key, since before: @escaping @Sendable () -> [Request],
        run effect: @escaping @Sendable (Request, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        onEach(
            name, isOrdered: true, requests: requests, since: before,
            pairs: { $0.lazy.map { (key($0), $0) } },
            start: { _, request in ({ _, _, run in try effect(request, run) }, nil) })
    }

    /// - Parameters:
    ///   - isOrdered: Whether the order of the pairs means something.
    ///   - before: The last requests of the feedback whose place this one takes; nil: it takes none.
    ///   - pairs: The keys of requests that differ from the last ones, and their values.
    ///   - start: How a run starts.
    @inlinable
    static func onEach<Requests: Equatable & Sendable, Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ name: String, isOrdered: Bool, requests: @escaping @Sendable (State) throws -> Requests,
        since before: (@Sendable () -> Requests)? = nil,
        pairs: @escaping @Sendable (Requests) -> some Sequence<(Key, Value)>,
        start: @escaping KeyedRequests<State, Event, Key, Value>.Start
    ) -> Feedback {
        Feedback(name, policy: .each) {
            let table = KeyedRequests<State, Event, Key, Value>(isOrdered: isOrdered, start: start)
            var last: Requests?
            let runs = table.runs
            if let before {
                runs.inherit = { [unowned table] in table.inherit(from: $0, Array(pairs(before()))) }
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
