public import Synchronization

/// The entrance to a running loop, and its queue. Emitters and runs hold a door. A door knows the type of the
/// events, but not the type of the state.
///
/// `LoopCore` adds the state and the feedbacks, so one loop is one object. It overrides nothing: the plan
/// holds the functions that a door needs and that know the type of the state.
// Safe because the inbox is behind its lock, the atomics are atomic, and only the thread that drains the loop
// touches the other variables. Draining threads come one after another, ordered by the inbox's lock. These
// variables do without the check for exclusive access, which makes a step five times as long.
@usableFromInline
class Door<Event: Sendable>: Runnable, LoopScopeCore, @unchecked Sendable {
    // The inbox, which every emitter writes, lies in cache lines of its own (`Lock`), apart from the variables that
    // the draining thread writes in each step.

    @usableFromInline final let inbox = Lock(Inbox<Event>())

    @usableFromInline final let plan: DoorPlan<Event>
    /// Items that are not events. They wait until the current step is done.
    @usableFromInline @safe @exclusivity(unchecked) final var notices: ContiguousArray<Inbox<Event>.Item> = []
    /// The thread that drains the loop, or 0.
    @usableFromInline final let thread = Atomic<UInt>(0)
    /// An emitter that finds the loop idle reduces the event itself. The event does not pass through the
    /// queue.
    @usableFromInline final let reducesInPlace: Bool
    @usableFromInline final let isBounded: Bool
    /// What a step does. Changes between two steps.
    @usableFromInline @safe @exclusivity(unchecked) final var stepForm: StepForm
    /// Whether steps are elaborate, for other threads than the draining one.
    @usableFromInline final let elaboration: Atomic<Bool>
    /// See `isObserved`. The draining thread writes it between two steps.
    @usableFromInline final let observation: Atomic<Bool>
    /// Observers and feedbacks have seen the initial state.
    @usableFromInline @safe @exclusivity(unchecked) final var hasBegun = false
    /// The number of calls that wait for another call of their feedback.
    @usableFromInline @safe @exclusivity(unchecked) final var waiting: Int32 = 0
    /// For a bounded mailbox. Here it takes no memory of its own, as many loops are idle.
    @usableFromInline final let freed = FreedRoom()

    @usableFromInline @safe @exclusivity(unchecked) final var queue = EventQueue<Event>()
    /// Bits of `LoopSignal`. A thread must hold the inbox's lock to write them.
    @usableFromInline final let signals = Atomic<UInt8>(0)
    /// The loop has streams of states, or a condition that ends it. Both come after the feedbacks.
    @usableFromInline @safe @exclusivity(unchecked) final var hasFollowUp: Bool
    /// Observers know that nothing can happen by itself any more, and nothing has happened since.
    @usableFromInline @safe @exclusivity(unchecked) final var isQuiescent = false
    /// Hears how the loop begins, wakes, rests, fails and stops. An observer would cost a loop more memory. Set before the
    /// loop begins, released when it has stopped.
    @usableFromInline @safe @exclusivity(unchecked) final var owner: LoopOwner?
    /// Position of the entry that the executing call has begun to write, or 0.
    @usableFromInline @safe @exclusivity(unchecked) final var openEntry = 0

    @inlinable
    init(plan: DoorPlan<Event>, isObserved: Bool, stepForm: StepForm, hasFollowUp: Bool) {
        self.plan = plan
        observation = Atomic(isObserved)
        elaboration = Atomic(stepForm == .elaborate)
        self.stepForm = stepForm
        self.hasFollowUp = hasFollowUp
        isBounded = plan.mailbox.limit != nil
        reducesInPlace = plan.executor.isCaller && stepForm != .elaborate && !isBounded
        if let limit = plan.mailbox.limit { bound(to: limit) }
    }

    @inlinable @inline(__always) final var isElaborate: Bool { stepForm == .elaborate }

    /// An observer sees steps.
    @inlinable @inline(__always) final var isObserved: Bool { observation.load(ordering: .relaxed) }

    @usableFromInline
    final func bound(to limit: Int) {
        inbox.withLock {
            raise(LoopSignal.bounded)
            $0.extras.room = MailboxRoom(
                limit: limit, overflow: plan.mailbox.overflow, isObserved: isObserved)
        }
    }

    /// Drains the loop until it is idle or yields its thread.
    @usableFromInline
    final func run() {
        LoopScope.bind(core: self) { plan.drain(self) }
    }

    @usableFromInline final var executor: LoopExecutor { plan.executor }

    /// Schedules the idle loop on its executor.
    @inlinable
    final func wake() {
        // No thread drains the loop yet, so it cannot release its owner meanwhile.
        owner?.woke()
        plan.executor.enqueue(self)
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

    /// Clears a signal; the inbox's lock must be held.
    @inlinable
    final func lower(_ signal: UInt8) {
        signals.store(signals.load(ordering: .relaxed) & ~signal, ordering: .releasing)
    }

    /// The event that the feedback's `catch` makes of an error; nil if there is none.
    @usableFromInline
    final func recovered(_ error: any Error, feedback: Int32) -> Event? {
        plan.recover(error, feedback)
    }

    // MARK: - Events from outside

    /// Queues an event from outside, from any thread.
    @inlinable
    final func emit(_ event: Event) -> EmitResult {
        guard !isBounded else { return emitBounded(event) }
        let answer = inbox.withLock { inbox in
            if reducesInPlace, inbox.claim() { return Inbox<Event>.Answer.wake }
            // The signal stays until the draining thread has moved the events to the queue.
            let isFirst = inbox.events.isEmpty
            let answer = inbox.add(event)
            if isFirst { raise(LoopSignal.events) }
            return answer
        }
        switch answer {
        case .added: return .queued
        case .wake:
            if reducesInPlace { plan.reduceHere(self, event) } else { wake() }
            return .queued
        case .refused: return refuse(event)
        }
    }

    /// Hands an event that came after the stop to the successor, or counts it.
    @usableFromInline
    final func refuse(_ event: Event) -> EmitResult {
        inbox.withLock { countRefused(1, in: &$0) }
        return passOn(event)
    }

    /// Counts events that came after the stop, unless the successor gets them.
    @usableFromInline
    final func countRefused(_ count: Int, of slot: RunSlot<Event>? = nil, in inbox: inout Inbox<Event>) {
        if let successor = inbox.successor, slot.map({ successor.continuation(of: $0) != nil }) ?? true {
            return
        }
        inbox.rarities.refused += UInt64(count)
    }

    // MARK: - Events of runs

    /// Queues an event of a run, from any thread.
    @inlinable @inline(__always)
    final func emit(_ event: consuming Event, from slot: RunSlot<Event>, _ number: UInt64) -> EmitResult {
        guard isExecuting(slot, number) else { return slot.post(consume event, rest: nil, from: number) }
        guard !has(LoopSignal.stop) else { return refuse(consume event) }
        if openEntry != 0 {
            queue.extend(openEntry, with: consume event)
        } else if slot.vacancy != 0 {
            openEntry = slot.vacancy
            slot.vacancy = 0
            queue.fill(openEntry, with: consume event, feedback: slot.index, run: number)
            slot.link(openEntry, in: &queue)
        } else {
            if has(LoopSignal.mail | LoopSignal.events) { moveInboxToQueue() }
            openEntry = queue.append(consume event, feedback: slot.index, run: number)
            slot.link(openEntry, in: &queue)
        }
        return .queued
    }

    /// Whether the calling thread executes the run's call, on the loop's executor.
    @inlinable @inline(__always)
    final func isExecuting(_ slot: RunSlot<Event>, _ number: UInt64) -> Bool {
        slot.calling.load(ordering: .relaxed) == number && thread.load(ordering: .relaxed) == currentThread()
    }

    /// Adds an entry of a run to the inbox.
    @inlinable @inline(never)
    final func post(
        _ event: Event, rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64
    ) -> EmitResult {
        guard !isBounded else { return enter(.emission(event, rest: rest, slot, number: number)) }
        let (result, wakes) = inbox.withLock { inbox -> (EmitResult, Bool) in
            guard inbox.stopReason == nil else {
                countRefused(1 + (rest?.count ?? 0), of: slot, in: &inbox)
                return (.stopped, false)
            }
            guard accepts(slot, number, in: &inbox) else {
                return (.cancelled, countLate(event, rest: rest, from: slot, number, in: &inbox) == .wake)
            }
            let answer = inbox.add(.emission(event, rest: rest, slot, number: number))
            raise(LoopSignal.mail)
            return (.queued, answer == .wake)
        }
        if wakes { wake() }
        return result
    }

    /// Whether the loop accepts an emission of the run.
    @inlinable @inline(__always)
    final func accepts(_ slot: RunSlot<Event>, _ number: UInt64, in inbox: inout Inbox<Event>) -> Bool {
        !slot.hasEnded(number)
            && inbox.runs.accepts(
                slot.key(number), whileCalling: slot.calling.load(ordering: .relaxed) == number)
    }

    /// Counts an entry of a run that has ended.
    final func drop(
        _ event: Event, rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64
    ) {
        let answer = inbox.withLock { inbox in
            guard inbox.stopReason != nil else {
                return countLate(event, rest: rest, from: slot, number, in: &inbox)
            }
            inbox.rarities.refused += 1 + UInt64(rest?.count ?? 0)
            return .refused
        }
        if answer == .wake { wake() }
    }

    @usableFromInline
    final func countLate(
        _ event: Event, rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64,
        in inbox: inout Inbox<Event>
    ) -> Inbox<Event>.Answer {
        inbox.rarities.late += 1 + UInt64(rest?.count ?? 0)
        guard isObserved else { return .added }
        let answer = inbox.addNotice(.dropped(event, slot, number: number, isLate: true))
        for event in rest ?? [] {
            _ = inbox.addNotice(.dropped(event, slot, number: number, isLate: true))
        }
        raise(LoopSignal.mail)
        return answer
    }

    // MARK: - The draining thread

    /// Moves the inbox's events to the end of the queue. Notices wait for the end of the step.
    @inlinable @inline(never)
    final func moveInboxToQueue() {
        var excess = 0
        let items = inbox.withLock { inbox in
            swap(&inbox.events, &queue.spare)
            lower(LoopSignal.mail | LoopSignal.events)
            if inbox.hasNotices { raise(LoopSignal.notices) }
            inbox.hasNotices = false
            if isBounded {
                countFreed(in: &inbox)
                excess = inbox.room.moveOver()
            }
            return inbox.takeItems()
        }
        if isBounded {
            append(items, dropping: excess)
        } else {
            for item in items { append(item) }
        }
        queue.appendSpare()
    }

    @inlinable @inline(__always)
    final func append(_ item: Inbox<Event>.Item) {
        switch item {
        case .event(let event): _ = queue.append(event, feedback: -1, run: 0)
        case .events(let events): queue.append(contentsOf: events)
        case .emission(let event, let rest, let slot, let number): append(event, rest, from: slot, number)
        case .finished, .returned, .resumed, .callback, .dropped, .overflowed: notices.append(item)
        }
    }

    /// Queues an entry that a run has posted, unless the run has ended since.
    @inlinable
    final func append(
        _ event: Event, _ rest: ContiguousArray<Event>?, from slot: RunSlot<Event>, _ number: UInt64
    ) {
        guard !slot.hasEnded(number) else {
            let count = 1 + UInt64(rest?.count ?? 0)
            inbox.withLock { inbox in
                inbox.rarities.withdrawn += count
                if isObserved { raise(LoopSignal.notices) }
            }
            guard isObserved else { return }
            notices.append(.dropped(event, slot, number: number, isLate: false))
            for event in rest ?? [] { notices.append(.dropped(event, slot, number: number, isLate: false)) }
            return
        }
        let position = queue.append(event, feedback: slot.index, run: number)
        for event in rest ?? [] { queue.extend(position, with: event) }
        slot.link(position, in: &queue)
    }
}

/// The signals that the draining thread checks before it takes the next event: bits of `Door.signals`.
@usableFromInline
enum LoopSignal {
    /// The inbox has an item that may belong to a run.
    @inlinable static var mail: UInt8 { 1 }
    /// The loop must stop.
    @inlinable static var stop: UInt8 { 2 }
    /// There is a notice in the inbox, or one that was moved out of it and waits for the end of the step.
    @inlinable static var notices: UInt8 { 4 }
    /// Performed steps wait for their delivery.
    @inlinable static var performed: UInt8 { 8 }
    /// Always set when the mailbox is bounded: an entry frees its room when the loop takes it.
    @inlinable static var bounded: UInt8 { 16 }
    /// The inbox has events from outside. They may wait until the queue is empty.
    @inlinable static var events: UInt8 { 32 }
    /// The run table has rows of runs whose call executes on the loop's executor, or has just returned.
    @inlinable static var callingRows: UInt8 { 64 }
    /// Another thread revokes the bias of the state's lock, and may sleep until the reducer has ended.
    @inlinable static var revoking: UInt8 { 128 }
}
