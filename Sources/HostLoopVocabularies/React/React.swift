public import HostLoop
public import HostLoopFlow

/// Reacts to the request that a state makes: no request cancels the effect, an equal one keeps it, a
/// different one replaces it.
///
/// `Feedback.onChange`, by its name in RxFeedback. An effect that has completed is not repeated until the
/// request differs or was nil in between. The new effect starts after the old one was cancelled. RxFeedback
/// uses the other order. A failure is a fault of the run, and the loop continues.
/// - Parameters:
///   - request: Returns the request of a state. Called once per new state.
///   - effects: Returns the flow of events, which is cancelled with the request.
public func react<State: Sendable, Event: Sendable, Request: Equatable & Sendable>(
    request: @escaping @Sendable (State) -> Request?,
    effects: @escaping @Sendable (Request) -> Flow<Event>
) -> Feedback<State, Event> {
    .onChange("react", request: request, flow: effects)
}

/// Reacts to each member of the set of requests that a state makes: members that go are cancelled, those that
/// stay are kept, new ones start.
///
/// `Feedback.onEach`, by its name in RxFeedback.
/// - Parameters:
///   - requests: Returns the requests of a state. Called once per new state. New members start in order if
///     requests are `Comparable`; otherwise the order is unspecified.
///   - effects: Returns the flow of events, which is cancelled when its request is not a member any more.
public func react<State: Sendable, Event: Sendable, Request: Hashable & Sendable>(
    requests: @escaping @Sendable (State) -> Set<Request>,
    effects: @escaping @Sendable (Request) -> Flow<Event>
) -> Feedback<State, Event> {
    .onEach("react", requests: requests, flow: effects)
}

/// Reacts to each id of the requests that a state makes: an id that goes is cancelled, one that comes back
/// starts afresh, and a different request of an id that stays flows into the effect that runs.
///
/// `Feedback.onEach`, by its name in RxFeedback.
/// - Parameters:
///   - requests: Returns the requests of a state, by id. Called once per new state.
///   - effects: Called once per id, with its first request and a flow of its requests: the newest at the
///     subscription, then each that differs from the one before.
public func react<State: Sendable, Event: Sendable, ID: Hashable & Sendable, Request: Equatable & Sendable>(
    requests: @escaping @Sendable (State) -> [ID: Request],
    effects: @escaping @Sendable (_ initial: Request, _ requests: Flow<Request>) -> Flow<Event>
) -> Feedback<State, Event> {
    .onEach("react", requests: requests, flow: { _, first, requests in effects(first, requests) })
}
