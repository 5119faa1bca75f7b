import Synchronization

/// A feedback within one loop.
// Safe because only the thread that drains the loop touches what is added here.
@usableFromInline
final class FeedbackSlot<State: Sendable, Event: Sendable>: RunSlot<Event>, @unchecked Sendable {
    @usableFromInline let decide: (State, Event?) throws -> RequestChange
    @usableFromInline let effect: FeedbackMemory<State, Event>.Effect
    /// The feedback declared after this one.
    @usableFromInline let next: FeedbackSlot?
    /// What most feedbacks do not need; nil for a synchronous effect on the loop's executor.
    @usableFromInline @safe @exclusivity(unchecked) var lane: EffectLane<State, Event>?

    @inlinable
    init(
        mailbox: Mailbox<Event>, index: Int32, feedback: Int32, policy: RunPolicy,
        executor: LoopExecutor?, memory: FeedbackMemory<State, Event>, next: FeedbackSlot?
    ) {
        self.next = next
        decide = memory.decide
        effect = memory.effect
        super.init(mailbox: mailbox, index: index, feedback: feedback, policy: policy)
        if memory.part != nil || executor != nil || memory.receive != nil {
            lane = EffectLane(of: memory, executor: executor)
        }
    }
}

extension FeedbackSlot {
    /// Goes on with the runs of a slot in a loop whose place this one's takes, while neither is drained.
    func inherit(_ old: FeedbackSlot, in state: State) {
        (lasts, open, number) = (old.lasts, old.open, old.number)
        endedThrough.store(old.endedThrough.load(ordering: .relaxed), ordering: .relaxed)
        guard let before = old.lane else { return }
        let lane = lane ?? EffectLane(executor: nil, detached: nil, receive: nil)
        self.lane = lane
        lane.calls = before.calls
        lane.resumptions = before.resumptions.map { ($0.number, old.asBefore($0.body)) }
        while let call = before.waiting.popFirst() {
            let effect = call.effect ?? { try old.effect($0, $1, $2) }
            lane.waiting.append(
                EffectLane.Call(
                    kind: call.kind, state: state, event: nil,
                    effect: { _, _, run in
                        try effect(call.state, call.event, Run(target: old, number: run.number))
                    }))
            mailbox.waiting += 1
        }
        before.resumptions = []
    }
}

/// The calls of a feedback that wait, or execute on another executor than the loop's.
@usableFromInline
final class EffectLane<State: Sendable, Event: Sendable> {
    /// A call to come, with all that it needs.
    struct Call {
        enum Kind { case start, receive }

        let kind: Kind
        let state: State
        let event: Event?
        /// The effect as it leaves the loop's executor; or that of the loop before; nil when it stays.
        let effect: FeedbackMemory<State, Event>.SendableEffect?
    }

    let executor: LoopExecutor?
    let detached: (() -> FeedbackMemory<State, Event>.SendableEffect)?
    let receive: FeedbackMemory<State, Event>.Receive?
    let part: KeyedPart<State, Event>?
    var waiting = FIFO<Call>()
    /// Further calls that pending runs ask for while a call of theirs executes.
    var resumptions: [(number: UInt64, body: RunTarget<Event>.Resumption)] = []
    /// Calls that execute elsewhere, cancelled ones included.
    var calls = 0

    init(
        executor: LoopExecutor?, detached: (() -> FeedbackMemory<State, Event>.SendableEffect)?,
        receive: FeedbackMemory<State, Event>.Receive?, part: KeyedPart<State, Event>? = nil
    ) {
        precondition(
            executor == nil || detached != nil,
            "a feedback with a memory of its own needs `detached` to execute its effect on another executor")
        self.executor = executor
        self.detached = detached
        self.receive = receive
        self.part = part
    }

    /// The lane of a feedback, if it needs one.
    @usableFromInline
    convenience init?(of memory: FeedbackMemory<State, Event>, executor: LoopExecutor?) {
        if case .whole? = memory.part {
            self.init(executor: nil, detached: memory.detached, receive: nil, part: memory.part)
        } else if executor != nil || memory.receive != nil {
            self.init(
                executor: executor, detached: memory.detached, receive: memory.receive, part: memory.part)
        } else {
            return nil
        }
    }

    /// Forgets what may refer to runs, which refer to this.
    func close() {
        waiting.removeAll()
        if case .whole(let runs)? = part { runs.close() }
    }
}
