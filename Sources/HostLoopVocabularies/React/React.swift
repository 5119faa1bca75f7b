public import HostLoop
public import HostLoopFlow

/// Reacts to the request that a state makes: no request cancels the effect, an equal one keeps it, a different
/// one replaces it.
///
/// `Feedback.onChange`, as RxFeedback spells it. An effect that has completed is not repeated until the
/// request differs or was nil in between. The new effect starts after the old one was cancelled; RxFeedback
/// does it the other way round. A failure is a fault of the run, and the loop lives on.
/// - Parameters:
///   - request: What the state asks for; called once per new state.
///   - effects: Answers the flow of events, which is cancelled with the request.
public func react<State: Sendable, Event: Sendable, Request: Equatable & Sendable>(
    request: @escaping @Sendable (State) -> Request?,
    effects: @escaping @Sendable (Request) -> Flow<Event>
) -> Feedback<State, Event> {
    .onChange("react", request: request, flow: effects)
}

/// Reacts to each member of the set of requests that a state makes: members that go are cancelled, those that
/// stay are kept, new ones start.
///
/// `Feedback.onEach`, as RxFeedback spells it.
/// - Parameters:
///   - requests: What the state asks for; called once per new state. The order among new members is that of
///     `Comparable` requests, else it is unspecified.
///   - effects: Answers the flow of events, which is cancelled when its request is no member any more.
public func react<State: Sendable, Event: Sendable, Request: Hashable & Sendable>(
    requests: @escaping @Sendable (State) -> Set<Request>,
    effects: @escaping @Sendable (Request) -> Flow<Event>
) -> Feedback<State, Event> {
    .onEach("react", requests: requests, flow: effects)
}

/// Reacts to each id of the requests that a state makes: an id that goes is cancelled, one that comes back
/// starts afresh, and a different request of an id that stays flows into the effect that runs.
///
/// `Feedback.onEach`, as RxFeedback spells it.
/// - Parameters:
///   - requests: What the state asks for, by id; called once per new state.
///   - effects: Called once per id, with its first request and a flow of its requests: the newest at the
///     subscription, then each that differs from the one before.
public func react<State: Sendable, Event: Sendable, ID: Hashable & Sendable, Request: Equatable & Sendable>(
    requests: @escaping @Sendable (State) -> [ID: Request],
    effects: @escaping @Sendable (_ initial: Request, _ requests: Flow<Request>) -> Flow<Event>
) -> Feedback<State, Event> {
    .onEach("react", requests: requests, flow: { _, first, requests in effects(first, requests) })
}
