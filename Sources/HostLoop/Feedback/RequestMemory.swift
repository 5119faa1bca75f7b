/// The behaviour of a feedback on changes within one loop, when the feedback keeps its own memory of the last
/// request.
public struct RequestMemory<State: Sendable, Event: Sendable> {
    @usableFromInline let change: (State) throws -> RequestChange
    @usableFromInline let effect: (State, Run<Event>) throws -> EffectStatus
    @usableFromInline let detached: (() -> @Sendable (State, Run<Event>) throws -> EffectStatus)?

    /// Makes the memory of one loop.
    ///
    /// `change` and `effect` are only called on the loop's executor, one at a time, so they may share any
    /// data.
    /// - Parameters:
    ///   - change: Compares the request of a new state with the last one, which it remembers. Called once per
    ///     new state, first with the initial one. A throw is a fault and counts as `.none`.
    ///   - effect: Called for each `.new`, after `change` and with the same state.
    ///   - detached: Needed for `execute(on:)`. It is called on the loop's executor instead of `effect`. It
    ///     returns the effect with a copy of the request. That effect then runs elsewhere, while `change` may
    ///     see later states.
    @inlinable
    public init(
        change: @escaping (State) throws -> RequestChange,
        effect: @escaping (State, Run<Event>) throws -> EffectStatus,
        detached: (() -> @Sendable (State, Run<Event>) throws -> EffectStatus)? = nil
    ) {
        self.change = change
        self.effect = effect
        self.detached = detached
    }
}

/// The meaning of a new state for a feedback that runs on a change of its request.
public enum RequestChange: Sendable, Hashable {
    /// The state makes no request: the run ends.
    case none
    /// The request is the one that runs or ran: nothing changes.
    case same
    /// The request differs: a new run replaces the current one.
    case new
}
