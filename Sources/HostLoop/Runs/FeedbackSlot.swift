/// A feedback within one loop.
// Safe because only the thread that drains the loop touches the properties that this class adds.
@usableFromInline
final class FeedbackSlot<State: Sendable, Event: Sendable>: RunSlot<Event>, @unchecked Sendable {
    @usableFromInline let decide: (State, Event?) throws -> RequestChange
    @usableFromInline let effect: FeedbackMemory<State, Event>.Effect
    /// What the slot that continues this one takes over.
    @usableFromInline let kept: SlotMemory?
    /// The slot of the feedback declared after this one.
    @usableFromInline @safe @exclusivity(unchecked) var next: FeedbackSlot?
    /// Nil for a synchronous effect on the loop's executor, the most frequent case.
    @usableFromInline @safe @exclusivity(unchecked) var calls: CallQueue<State, Event>?

    @inlinable
    init(
        door: Door<Event>, index: Int32, feedback: Int32, policy: RunPolicy, executor: LoopExecutor?,
        memory: FeedbackMemory<State, Event>
    ) {
        decide = memory.decide
        effect = memory.effect
        kept = memory.kept
        super.init(door: door, index: index, feedback: feedback, policy: policy)
        if memory.keyedRole != nil || executor != nil || memory.receive != nil {
            calls = CallQueue(of: memory, executor: executor)
        }
    }
}

/// The calls of a feedback that wait, or that execute on another executor than the loop's.
@usableFromInline
final class CallQueue<State: Sendable, Event: Sendable> {
    /// A call that waits, with its arguments.
    struct Call {
        enum Kind { case start, receive }

        let kind: Kind
        let state: State
        let event: Event?
        /// The effect for another executor, or the effect from the previous loop; nil for the slot's own
        /// effect.
        let effect: FeedbackMemory<State, Event>.SendableEffect?
        /// For a run that an earlier process has begun: its number; otherwise 0.
        var number: UInt64 = 0
    }

    let executor: LoopExecutor?
    let detached: (() -> FeedbackMemory<State, Event>.SendableEffect)?
    let receive: FeedbackMemory<State, Event>.Receive?
    let keyedRole: KeyedRole<State, Event>?
    var waiting = FIFO<Call>()
    /// Calls that pending runs ask for while another call of the run executes.
    var resumptions: [(number: UInt64, body: @Sendable () throws -> EffectStatus)] = []
    /// The number of calls that execute elsewhere, including those of cancelled runs.
    var executing = 0

    init(
        executor: LoopExecutor?, detached: (() -> FeedbackMemory<State, Event>.SendableEffect)?,
        receive: FeedbackMemory<State, Event>.Receive?, keyedRole: KeyedRole<State, Event>? = nil
    ) {
        precondition(
            executor == nil || detached != nil,
            "a feedback with a memory of its own needs `detached` to execute its effect on another executor")
        self.executor = executor
        self.detached = detached
        self.receive = receive
        self.keyedRole = keyedRole
    }

    /// The queue of a feedback, if it needs one.
    @usableFromInline
    convenience init?(of memory: FeedbackMemory<State, Event>, executor: LoopExecutor?) {
        if case .allKeys? = memory.keyedRole {
            self.init(executor: nil, detached: memory.detached, receive: nil, keyedRole: memory.keyedRole)
        } else if executor != nil || memory.receive != nil {
            self.init(
                executor: executor, detached: memory.detached, receive: memory.receive,
                keyedRole: memory.keyedRole)
        } else {
            return nil
        }
    }

    /// Releases values that may refer to runs, since runs refer to this object.
    func close() {
        waiting.removeAll()
        if case .allKeys(let runs)? = keyedRole { runs.close() }
    }
}
