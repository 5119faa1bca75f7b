/// What few loops have.
// Safe because only the thread that drains the loop touches it (see `Mailbox`).
@usableFromInline
final class LoopAnnex<State: Sendable, Event: Sendable>: @unchecked Sendable {
    @usableFromInline @safe @exclusivity(unchecked) let observers: [any LoopObserver<State, Event>]
    /// The slots of keys; their places go on after those of the declared feedbacks.
    @usableFromInline @safe @exclusivity(unchecked) var keyed: ContiguousArray<FeedbackSlot<State, Event>> =
        []
    /// The streams of states.
    @usableFromInline @safe @exclusivity(unchecked) var sinks: [StateSink<State>] = []
    /// Told when the loop rests, which it is to do after the step at hand.
    @safe @exclusivity(unchecked) var parking: (@Sendable (_ rests: Bool) -> Void)?
    /// Until the loop begins: the slots with the runs of the loop whose place it takes, by the index that each had there.
    @safe @exclusivity(unchecked) var heirs: [Int32: FeedbackSlot<State, Event>]?

    @usableFromInline
    init(observers: [any LoopObserver<State, Event>]) {
        self.observers = observers
    }
}
