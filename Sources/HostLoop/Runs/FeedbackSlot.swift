/// A feedback within one loop.
// Safe because only the thread that drains the loop touches what is added here.
@usableFromInline
final class FeedbackSlot<State: Sendable, Event: Sendable>: RunSlot<Event>, @unchecked Sendable {
    @usableFromInline let decide: (State, Event?) throws -> RequestChange
    @usableFromInline let effect: FeedbackMemory<State, Event>.Effect
    /// The slot of the feedback declared after this one.
    @usableFromInline @safe @exclusivity(unchecked) var next: FeedbackSlot?
    /// Nil for a synchronous effect on the loop's executor, as most are.
    @usableFromInline @safe @exclusivity(unchecked) var calls: CallQueue<State, Event>?

    @inlinable
    init(
        door: Door<Event>, index: Int32, feedback: Int32, policy: RunPolicy, executor: LoopExecutor?,
        memory: FeedbackMemory<State, Event>
    ) {
        decide = memory.decide
        effect = memory.effect
        super.init(door: door, index: index, feedback: feedback, policy: policy)
        if memory.keyedRole != nil || executor != nil || memory.receive != nil {
            calls = CallQueue(of: memory, executor: executor)
        }
    }
}

/// The calls of a feedback that wait, or execute on another executor than the loop's.
@usableFromInline
final class CallQueue<State: Sendable, Event: Sendable> {
    /// A call to come, with its arguments.
    struct Call {
        enum Kind { case start, receive }

        let kind: Kind
        let state: State
        let event: Event?
        /// The effect as it leaves the loop's executor, or as the loop before had it; nil when it stays.
        let effect: FeedbackMemory<State, Event>.SendableEffect?
    }

    let executor: LoopExecutor?
    let detached: (() -> FeedbackMemory<State, Event>.SendableEffect)?
    let receive: FeedbackMemory<State, Event>.Receive?
    let keyedRole: KeyedRole<State, Event>?
    var waiting = FIFO<Call>()
    /// Further calls that pending runs ask for while a call of theirs executes.
    var resumptions: [(number: UInt64, body: @Sendable () throws -> EffectStatus)] = []
    /// Calls that execute elsewhere, cancelled ones included.
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

    /// Forgets values that may refer to runs, which refer to this.
    func close() {
        waiting.removeAll()
        if case .allKeys(let runs)? = keyedRole { runs.close() }
    }
}
