/// A feedback within one loop. It is made once per loop, so the memory of its closures belongs to that loop.
@usableFromInline
struct FeedbackMemory<State: Sendable, Event: Sendable> {
    @usableFromInline typealias Effect = (State, Event?, Run<Event>) throws -> EffectStatus
    @usableFromInline typealias SendableEffect = @Sendable (State, Event?, Run<Event>) throws -> EffectStatus
    @usableFromInline typealias Receive = @Sendable (State, Run<Event>) throws -> Void

    /// Returns the meaning of a state and of the event that caused it (nil for the initial state). Called
    /// once per new state.
    @usableFromInline var decide: (State, Event?) throws -> RequestChange
    /// The effect for the loop's executor.
    @usableFromInline var effect: Effect
    /// Returns the effect for another executor, with a copy of all that it needs of the memory. Nil if the
    /// effect must not leave the loop's executor.
    @usableFromInline var detached: (() -> SendableEffect)?
    /// The function that gets every later state of the one run for the loop's life.
    @usableFromInline var receive: Receive?
    /// The feedback's role in a feedback with keys; nil without keys.
    @usableFromInline let keyedRole: KeyedRole<State, Event>?
    /// What a loop that continues this one takes over.
    @usableFromInline let kept: SlotMemory?

    @inlinable
    init(
        decide: @escaping (State, Event?) throws -> RequestChange, effect: @escaping Effect,
        detached: (() -> SendableEffect)?, receive: Receive? = nil, keyedRole: KeyedRole<State, Event>? = nil,
        kept: SlotMemory? = nil
    ) {
        self.kept = kept
        self.decide = decide
        self.effect = effect
        self.detached = detached
        self.receive = receive
        self.keyedRole = keyedRole
    }
}

/// What a feedback remembers in one loop, and gives to the loop that continues it.
@usableFromInline
class SlotMemory {
    @usableFromInline
    init() {}

    /// Takes over the memory of the same feedback in another loop.
    @usableFromInline
    func inherit(_ before: SlotMemory) {}
}
