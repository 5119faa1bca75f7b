/// Rarely used state of a loop, allocated on demand.
// Safe because only the thread that drains the loop touches it (see `Door`). One exception: other threads
// read `keyed` with the inbox's lock held, and it changes only with that lock held.
@usableFromInline
final class LoopExtras<State: Sendable, Event: Sendable>: @unchecked Sendable {
    @usableFromInline @safe @exclusivity(unchecked) var observers: [any LoopObserver<State, Event>] {
        didSet { review() }
    }
    /// Those that see steps.
    @usableFromInline @safe @exclusivity(unchecked) private(set) var watching:
        [any LoopObserver<State, Event>]
    /// One of the observers, which sees the loop until nothing can happen in it by itself.
    @usableFromInline @safe @exclusivity(unchecked) var visitor: (any LoopObserver<State, Event>)?
    /// The slots of keys. Their indices follow those of the declared feedbacks.
    @usableFromInline @safe @exclusivity(unchecked) var keyed: ContiguousArray<FeedbackSlot<State, Event>> =
        []
    /// The streams of states.
    @usableFromInline @safe @exclusivity(unchecked) var sinks: [StateSink<State>] = []
    /// For a journal: steps that are durable, and wait to be delivered.
    @usableFromInline @safe @exclusivity(unchecked) var recorded = FIFO<RecordedStep<State, Event>>()
    /// For a journal: ends of runs whose events wait.
    @usableFromInline @safe @exclusivity(unchecked) var ends = JournaledEnds()
    /// Called when the loop is parked, after the current step. `isParked` is false when the loop stops instead.
    @safe @exclusivity(unchecked) var parking: (@Sendable (_ isParked: Bool) -> Void)?
    /// What the loop continues from a journal. Nil once the loop has begun.
    @usableFromInline @safe @exclusivity(unchecked) var resumption: LoopResumption<State, Event>?
    /// The slots that continue runs of the previous loop, by the index in that loop. Nil once the loop has
    /// begun.
    @safe @exclusivity(unchecked) var continuing: [Int32: FeedbackSlot<State, Event>]?

    @usableFromInline
    init(observers: [any LoopObserver<State, Event>]) {
        self.observers = observers
        watching = observers.filter(\.seesSteps)
    }

    /// Whether it has nothing that the loop needs once it has begun.
    var isEmpty: Bool {
        observers.isEmpty && keyed.isEmpty && sinks.isEmpty && recorded.isEmpty && ends.isEmpty
            && parking == nil
    }

    /// Asks each observer whether it sees steps.
    func review() { watching = observers.filter(\.seesSteps) }
}

/// The state as its loop stores it. It cannot be copied as a whole, so code can only borrow it.
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
