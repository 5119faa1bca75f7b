/// Rarely used state of a loop, allocated on demand.
// Safe because only the thread that drains the loop touches it (see `Door`); other threads read `keyed` with the inbox's lock held, and it changes only so.
@usableFromInline
final class LoopExtras<State: Sendable, Event: Sendable>: @unchecked Sendable {
    @usableFromInline @safe @exclusivity(unchecked) let observers: [any LoopObserver<State, Event>]
    /// The slots of keys; their indices follow those of the declared feedbacks.
    @usableFromInline @safe @exclusivity(unchecked) var keyed: ContiguousArray<FeedbackSlot<State, Event>> =
        []
    /// The streams of states.
    @usableFromInline @safe @exclusivity(unchecked) var sinks: [StateSink<State>] = []
    /// Called when the loop is parked, after the step at hand.
    @safe @exclusivity(unchecked) var parking: (@Sendable (_ rests: Bool) -> Void)?
    /// Until the loop begins: the slots that continue runs of the loop before, by the index that each had there.
    @safe @exclusivity(unchecked) var continuing: [Int32: FeedbackSlot<State, Event>]?

    @usableFromInline
    init(observers: [any LoopObserver<State, Event>]) {
        self.observers = observers
    }
}

/// The state where its loop keeps it: lent to whoever is given it, as it cannot be copied as a whole.
///
/// A copy of `value` counts references, which costs a step more than most reducers do.
@usableFromInline
struct StateBox<State: Sendable>: ~Copyable, Sendable {
    @usableFromInline var value: State

    @inlinable
    init(_ value: State) {
        self.value = value
    }
}
