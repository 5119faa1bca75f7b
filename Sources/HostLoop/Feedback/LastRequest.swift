/// The last request of a feedback on changes within one loop. Only the loop's executor uses it.
@usableFromInline
final class LastRequest<State: Sendable, Event: Sendable, Request: Sendable>: SlotMemory {
    /// What the loops that have the feedback share.
    @usableFromInline
    final class Rules: Sendable {
        @usableFromInline let request: @Sendable (State) throws -> Request?
        @usableFromInline let isEqual: @Sendable (Request, Request) -> Bool
        /// A request of the loop before, as this one makes it.
        @usableFromInline let carried: @Sendable (Request) -> Request
        @usableFromInline let effect: @Sendable (State, Request, Run<Event>) throws -> EffectStatus

        @inlinable
        init(
            _ request: @escaping @Sendable (State) throws -> Request?,
            _ isEqual: @escaping @Sendable (Request, Request) -> Bool,
            _ carried: @escaping @Sendable (Request) -> Request,
            _ effect: @escaping @Sendable (State, Request, Run<Event>) throws -> EffectStatus
        ) {
            (self.request, self.isEqual, self.carried, self.effect) = (request, isEqual, carried, effect)
        }
    }

    @usableFromInline let rules: Rules
    @usableFromInline var last: Request?

    @inlinable
    init(_ rules: Rules) { self.rules = rules }

    @usableFromInline
    override func inherit(_ before: SlotMemory) {
        last = (before as? LastRequest)?.last.map(rules.carried)
    }

    @inlinable
    func change(_ state: State) throws -> RequestChange {
        let before = last
        last = nil
        guard let next = try rules.request(state) else { return .none }
        guard let before, rules.isEqual(before, next) else {
            last = next
            return .new
        }
        // Of equal requests, the one that has a run stays: small differences must not add up unseen.
        last = before
        return .same
    }
}
