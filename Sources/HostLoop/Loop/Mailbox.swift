public import Synchronization

/// The part of a running loop that does not know its state: the queue and the ways into it.
// Safe because the inbox is behind its lock, the atomics are atomic, and every other variable is touched
// only by the thread that drains the loop; one drains after another, ordered by the lock of the inbox. The
// check for exclusive access, which these variables do without, makes a step five times as long.
@usableFromInline
class Mailbox<Event: Sendable>: Runnable, LoopScopeCore, @unchecked Sendable {
    // In this order: what every emitter writes, what rarely changes, and what the draining thread writes in each step.
    // Two threads that write the same cache line slow each other down by far more than what they do.

    /// Who emits into the idle loop takes the event at once: nothing is between it and the reducer.
    @usableFromInline final let takesHere: Bool
    @usableFromInline final let isBounded: Bool
    /// What becomes of one event too many, if it is bounded.
    @usableFromInline final let overflow: MailboxCapacity.Overflow
    /// The initial state was shown.
    @usableFromInline @safe @exclusivity(unchecked) final var hasBegun = false
    /// Calls that wait for another call of their feedback.
    @usableFromInline @safe @exclusivity(unchecked) final var waiting: Int32 = 0
    @usableFromInline final let inbox = Lock(Inbox<Event>())
    /// Items that are no events, until the step at hand is done.
    @usableFromInline @safe @exclusivity(unchecked) final var notices: ContiguousArray<Inbox<Event>.Item> = []
    /// The thread that drains the loop, or 0.
    @usableFromInline final let thread = Atomic<UInt>(0)
    @usableFromInline @safe @exclusivity(unchecked) final var queue = EventQueue<Event>()
    /// `LoopSignal`s; written with the inbox's lock held.
    @usableFromInline final let signals = Atomic<UInt8>(0)
    /// An observer sees steps.
    @usableFromInline final let isObserved: Bool
    /// Something comes after the feedbacks.
    @usableFromInline @safe @exclusivity(unchecked) final var hasFollowUp: Bool
    /// Something was said of the executing call's run that has to be forgotten if the run does not go on.
    @usableFromInline @safe @exclusivity(unchecked) final var hasEarly = false
    /// Observers were told that nothing can happen any more, and nothing has since.
    @usableFromInline @safe @exclusivity(unchecked) final var isQuiescent = false
    /// The run whose call executes on the loop's executor, as `CallingRun` has it, or 0: to name what a loop waits for,
    /// nothing is decided by it.
    @usableFromInline final let calling = Atomic<UInt64>(0)
    /// The entry that the executing call has begun to write, or 0.
    @usableFromInline @safe @exclusivity(unchecked) final var open = 0

    @inlinable
    init(isObserved: Bool, hasFollowUp: Bool, capacity: MailboxCapacity, runsOnCaller: Bool) {
        self.isObserved = isObserved
        self.hasFollowUp = hasFollowUp
        overflow = capacity.overflow
        isBounded = capacity.limit != nil
        takesHere = runsOnCaller && !isObserved && !isBounded
        if let limit = capacity.limit { bound(to: limit) }
    }

    @usableFromInline
    final func bound(to limit: Int) {
        inbox.withLock {
            raise(LoopSignal.bounded)
            let room = MailboxRoom<Event>(limit: limit, overflow: overflow, isObserved: isObserved)
            $0.annex = [Inbox.Annex(room: room)]
        }
    }

    /// Drains the loop until it rests or yields.
    @usableFromInline
    func run() {
        preconditionFailure("a mailbox has no loop of its own")
    }

    /// How much the mailbox holds.
    var capacity: MailboxCapacity {
        preconditionFailure("a mailbox has no capacity of its own")
    }

    /// What time is taken from.
    @usableFromInline
    var clock: any LoopClock {
        preconditionFailure("a mailbox has no clock of its own")
    }

    /// What the loop runs on.
    @usableFromInline
    var executor: LoopExecutor {
        preconditionFailure("a mailbox has no executor of its own")
    }

    /// The event that a feedback's `catch` makes of an error.
    @usableFromInline
    func caught(_ error: any Error, feedback: Int32) -> Event? {
        preconditionFailure("a mailbox has no feedbacks of its own")
    }

    /// Reduces events on the calling thread.
    @usableFromInline
    func perform(_ events: ContiguousArray<Event>) -> EmitResult {
        preconditionFailure("a mailbox has no reducer of its own")
    }

    /// Reduces an event on the calling thread, which has claimed the loop, and drains it.
    @usableFromInline
    func takeHere(_ event: Event) {
        preconditionFailure("a mailbox has no reducer of its own")
    }

    /// The slot of a feedback.
    @usableFromInline
    func slot(at feedback: Int32) -> RunSlot<Event> {
        preconditionFailure("a mailbox has no feedbacks of its own")
    }

    @inlinable @inline(__always)
    final func has(_ anyOf: UInt8) -> Bool {
        signals.load(ordering: .acquiring) & anyOf != 0
    }

    /// Adds a signal; the inbox's lock must be held.
    @inlinable @inline(__always)
    final func raise(_ signal: UInt8) {
        signals.store(signals.load(ordering: .relaxed) | signal, ordering: .releasing)
    }

    /// Takes a signal back; the inbox's lock must be held.
    @inlinable
    final func lower(_ signal: UInt8) {
        signals.store(signals.load(ordering: .relaxed) & ~signal, ordering: .releasing)
    }

    /// Gets the loop going on its executor.
    @usableFromInline
    func wake() {
        preconditionFailure("a mailbox has no executor of its own")
    }

    // MARK: - Ways in

    /// Takes an event from outside, from any thread.
    @inlinable
    final func emit(_ event: Event) -> EmitResult {
        guard !isBounded else { return passOn(event, enter(.event(event))) }
        let answer = inbox.withLock { inbox in
            if takesHere, inbox.claim() { return Inbox<Event>.Answer.wake }
            // While some are there, the signal is.
            let isFirst = inbox.events.isEmpty
            let answer = inbox.leave(event)
            if isFirst { raise(LoopSignal.events) }
            return answer
        }
        switch answer {
        case .left: return .queued
        case .wake:
            if takesHere { takeHere(event) } else { wake() }
            return .queued
        case .refused: return refuse(event)
        }
    }

    /// Counts an event that came after the stop, unless another loop takes it.
    @usableFromInline
    final func refuse(_ event: Event) -> EmitResult {
        inbox.withLock { $0.runs.refused += 1 }
        return passOn(event, .stopped)
    }

    /// What becomes of an event from outside: one that came after the stop is taken by the loop that has the place of this one.
    @usableFromInline
    final func passOn(_ event: Event, _ result: EmitResult) -> EmitResult {
        guard result == .stopped else { return result }
        return inbox.withLock(\.successor)?.emit(event) ?? .stopped
    }

    /// What goes on with the runs of a slot in the loop that has taken the place of this one.
    @usableFromInline
    final func heir(of slot: RunSlot<Event>) -> LoopSuccessor<Event>.Heir? {
        has(LoopSignal.stop) ? inbox.withLock(\.successor)?.heir(of: slot) : nil
    }

    /// Takes an event from a run, from any thread.
    @inlinable @inline(__always)
    final func emit(_ event: consuming Event, from slot: RunSlot<Event>, _ number: UInt64) -> EmitResult {
        guard isExecuting(slot, number) else { return slot.take(consume event, rest: nil, from: number) }
        guard !has(LoopSignal.stop) else { return refuse(consume event) }
        if open != 0 {
            queue.extend(open, with: consume event)
        } else if slot.place != 0 {
            open = slot.place
            slot.place = 0
            queue.fill(open, with: consume event, feedback: slot.index, run: number)
            slot.note(open, in: &queue)
        } else {
            if has(LoopSignal.mail | LoopSignal.events) { absorb() }
            open = queue.append(consume event, feedback: slot.index, run: number)
            slot.note(open, in: &queue)
        }
        return .queued
    }

    /// Notes that the call of a run begins on the loop's executor.
    @inlinable @inline(__always)
    final func beginCall(_ slot: RunSlot<Event>, _ number: UInt64) {
        slot.calling.store(number, ordering: .releasing)
        calling.store(CallingRun.packed(number, of: slot.feedback), ordering: .relaxed)
    }

    /// Notes that it has returned.
    @inlinable @inline(__always)
    final func endCall(_ slot: RunSlot<Event>) {
        calling.store(0, ordering: .relaxed)
        slot.calling.store(0, ordering: .releasing)
    }

    /// Whether the calling thread is in the run's call on the loop's executor.
    @inlinable @inline(__always)
    final func isExecuting(_ slot: RunSlot<Event>, _ number: UInt64) -> Bool {
        slot.calling.load(ordering: .relaxed) == number && thread.load(ordering: .relaxed) == currentThread()
    }

    /// Leaves an entry of a run in the inbox.
    @inlinable @inline(never)
    final func leave(
        _ event: Event, rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64
    ) -> EmitResult {
        guard !isBounded else { return enter(.emission(event, rest: rest, slot, number: number)) }
        let (result, wakes) = inbox.withLock { inbox -> (EmitResult, Bool) in
            guard inbox.stopReason == nil else {
                inbox.runs.refused += 1 + UInt64(rest?.count ?? 0)
                return (.stopped, false)
            }
            let accepted = accepts(slot, number, in: &inbox)
            var answer = Inbox<Event>.Answer.left
            if accepted {
                answer = inbox.leave(.emission(event, rest: rest, slot, number: number))
                raise(LoopSignal.mail)
            } else {
                answer = countLate(event, rest: rest, from: slot, number, in: &inbox)
            }
            return (accepted ? .queued : .cancelled, answer == .wake)
        }
        if wakes { wake() }
        return result
    }

    /// Whether an emission of the run counts.
    @inlinable @inline(__always)
    final func accepts(_ slot: RunSlot<Event>, _ number: UInt64, in inbox: inout Inbox<Event>) -> Bool {
        number > slot.endedThrough.load(ordering: .acquiring)
            && inbox.runs.accepts(
                slot.key(number), whileCalling: slot.calling.load(ordering: .relaxed) == number)
    }

    /// Counts an entry of a run that is over.
    final func drop(
        _ event: Event, rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64
    ) {
        let answer = inbox.withLock { inbox in
            guard inbox.stopReason != nil else {
                return countLate(event, rest: rest, from: slot, number, in: &inbox)
            }
            inbox.runs.refused += 1 + UInt64(rest?.count ?? 0)
            return .refused
        }
        if answer == .wake { wake() }
    }

    @usableFromInline
    final func countLate(
        _ event: Event, rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64,
        in inbox: inout Inbox<Event>
    ) -> Inbox<Event>.Answer {
        inbox.runs.late += 1 + UInt64(rest?.count ?? 0)
        guard isObserved else { return .left }
        let answer = inbox.leaveNotice(.dropped(event, slot, number: number, isLate: true))
        for event in rest ?? [] {
            _ = inbox.leaveNotice(.dropped(event, slot, number: number, isLate: true))
        }
        raise(LoopSignal.mail)
        return answer
    }

    // MARK: - The draining thread

    /// Moves what was left in the inbox to the end of the queue; what is no event waits for the end of the
    /// step.
    @inlinable @inline(never)
    final func absorb() {
        var owed = 0
        let items = inbox.withLock { inbox in
            swap(&inbox.events, &queue.spare)
            lower(LoopSignal.mail | LoopSignal.events)
            if inbox.hasNotices { raise(LoopSignal.notices) }
            inbox.hasNotices = false
            if isBounded { owed = inbox.room.moveOver() }
            defer { inbox.items = [] }
            return inbox.items
        }
        if isBounded {
            place(items, owed: owed)
        } else {
            for item in items { place(item) }
        }
        queue.appendSpare()
    }

    @inlinable @inline(__always)
    final func place(_ item: Inbox<Event>.Item) {
        switch item {
        case .event(let event): _ = queue.append(event, feedback: -1, run: 0)
        case .events(let events): queue.append(contentsOf: events)
        case .emission(let event, let rest, let slot, let number): take(event, rest, from: slot, number)
        case .finished, .returned, .resumed, .visit, .dropped, .overflowed: notices.append(item)
        }
    }

    /// Queues an entry that a run left in the inbox, unless the run was ended since.
    @inlinable
    final func take(
        _ event: Event, _ rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64
    ) {
        guard number > slot.endedThrough.load(ordering: .relaxed) else {
            let count = 1 + UInt64(rest?.count ?? 0)
            inbox.withLock { inbox in
                inbox.runs.withdrawn += count
                if isObserved { raise(LoopSignal.notices) }
            }
            guard isObserved else { return }
            notices.append(.dropped(event, slot, number: number, isLate: false))
            for event in rest ?? [] { notices.append(.dropped(event, slot, number: number, isLate: false)) }
            return
        }
        let position = queue.append(event, feedback: slot.index, run: number)
        for event in rest ?? [] { queue.extend(position, with: event) }
        slot.note(position, in: &queue)
    }
}
