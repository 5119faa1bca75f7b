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

    @usableFromInline
    init(observers: [any LoopObserver<State, Event>]) {
        self.observers = observers
    }
}
