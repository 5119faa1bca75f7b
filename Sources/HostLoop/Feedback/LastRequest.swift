/// The last request of a feedback on changes within one loop. Only the loop's executor uses it.
@usableFromInline
final class LastRequest<State: Sendable, Event: Sendable, Request: Equatable & Sendable> {
    @usableFromInline typealias Effect = @Sendable (State, Request, Run<Event>) throws -> EffectStatus

    /// What the loops that have the feedback share.
    @usableFromInline
    final class Rules: Sendable {
        @usableFromInline let request: @Sendable (State) throws -> Request?
        @usableFromInline let effect: Effect

        @inlinable
        init(_ request: @escaping @Sendable (State) throws -> Request?, _ effect: @escaping Effect) {
            (self.request, self.effect) = (request, effect)
        }
    }

    @usableFromInline let rules: Rules
    @usableFromInline var last: Request?

    @inlinable
    init(_ rules: Rules) { self.rules = rules }

    @inlinable
    func change(_ state: State) throws -> RequestChange {
        let before = last
        last = nil
        last = try rules.request(state)
        return last == nil ? .none : before == last ? .same : .new
    }
}

extension Feedback {
    /// A feedback on changes for many loops. A loop has the last request in one object, and its effect gets the state too.
    /// - Parameters:
    ///   - request: Returns the state's request; called once per new state. A throw is a fault and counts as nil.
    ///   - effect: Finishes before it returns, or continues and ends with `Run.finish()`.
    @inlinable
    package static func onChange<Request: Equatable & Sendable>(
        _ name: String, request: @escaping @Sendable (State) throws -> Request?,
        with effect: @escaping @Sendable (State, Request, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        let rules = LastRequest<State, Event, Request>.Rules(request, effect)
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
                })
        }
    }
}
