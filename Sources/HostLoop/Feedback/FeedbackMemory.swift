/// A feedback as it works within one loop: made once per loop, so what its closures remember belongs to that
/// loop.
@usableFromInline
struct FeedbackMemory<State: Sendable, Event: Sendable> {
    @usableFromInline typealias Effect = (State, Event?, Run<Event>) throws -> EffectStatus
    @usableFromInline typealias SendableEffect = @Sendable (State, Event?, Run<Event>) throws -> EffectStatus
    @usableFromInline typealias Receive = @Sendable (State, Run<Event>) throws -> Void

    /// What a state, caused by that event (nil: the initial state), means; asked once per new state.
    @usableFromInline var decide: (State, Event?) throws -> RequestChange
    /// The effect as it runs on the loop's executor.
    @usableFromInline var effect: Effect
    /// The effect as it can be handed to another executor, with all that it needs of the memory copied; nil:
    /// it must not leave the loop's.
    @usableFromInline var detached: (() -> SendableEffect)?
    /// What is given every later state of the one run for the loop's life.
    @usableFromInline var receive: Receive?
    /// What the feedback has to do with keys; nil: nothing.
    @usableFromInline let keyedRole: KeyedRole<State, Event>?

    @inlinable
    init(
        decide: @escaping (State, Event?) throws -> RequestChange, effect: @escaping Effect,
        detached: (() -> SendableEffect)?, receive: Receive? = nil, keyedRole: KeyedRole<State, Event>? = nil
    ) {
        self.decide = decide
        self.effect = effect
        self.detached = detached
        self.receive = receive
        self.keyedRole = keyedRole
    }
}
