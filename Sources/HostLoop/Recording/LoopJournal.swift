/// Records what a loop does, so that another process can continue it.
///
/// The loop calls all methods on the draining thread. A loop with a journal must perform no events. A feedback
/// is named by its index in the order of declaration, or -1 for events from outside.
@usableFromInline
package protocol LoopJournal<State, Event>: AnyObject, Sendable {
    associatedtype State: Sendable
    associatedtype Event: Sendable

    /// An event made a new state. Called before observers and feedbacks see it.
    /// - Parameters:
    ///   - endsEntry: Whether the loop has taken all events that were emitted together with this one.
    ///   - answers: Whether the run has begun, and has ended in its call with this event. There is no `began` then.
    func stepped(
        _ event: borrowing Event, to state: borrowing State, feedback: Int32, run: UInt64, endsEntry: Bool,
        answers: Bool)
    /// An event made no new state.
    func refused(
        _ event: Event, _ why: JournalRefusal, feedback: Int32, run: UInt64, endsEntry: Bool)
    /// Whether `began` is called as soon as a call returns. Otherwise the next step may say that a run has begun.
    var hearsOfCallsAtOnce: Bool { get }
    /// A run has begun; called when its first call has returned, or was passed to another executor.
    /// - Parameters:
    ///   - events: how many events it emitted in the call that has ended it; nil: it continues.
    ///   - hasWaited: it is the request that waited longest.
    func began(feedback: Int32, run: UInt64, events: Int?, hasWaited: Bool)
    /// A run that continued has ended, and all that it emitted is reduced or withdrawn.
    func ended(feedback: Int32, run: UInt64, isCancelled: Bool)
    /// A request waits for the end of other runs.
    func asked(feedback: Int32)
    /// The waiting requests are dropped.
    func forgot(feedback: Int32)
    /// Whether steps are recorded together, and are durable before observers and feedbacks see them.
    var makesStepsDurable: Bool { get }
    /// Returns when all that was recorded is durable. If that fails, the journal stops the loop first.
    func makeDurable()
    /// Observers and feedbacks are about to see the next state of those that were recorded together. Called with
    /// the lock of the state.
    func delivers(_ state: borrowing State)
    /// They have seen it.
    func delivered()
    /// The loop has nothing more to do now.
    func rested()
}

/// Why an event made no new state.
@usableFromInline
package enum JournalRefusal: Sendable {
    case unhandled, failed, withdrawn
}

/// The ends of runs that wait until the loop has taken all that the runs emitted.
@usableFromInline
struct JournaledEnds: Sendable {
    struct End {
        /// The queue's first position after the run's events.
        let position: Int
        let feedback: Int32
        let run: UInt64
    }

    private var ends = FIFO<End>()

    @usableFromInline init() {}

    @usableFromInline var isEmpty: Bool { ends.isEmpty }

    mutating func append(_ end: End) { ends.append(end) }

    /// Takes the first end whose events were all taken.
    mutating func popFirst(before head: Int) -> End? {
        guard let first = ends.first, first.position <= head else { return nil }
        return ends.popFirst()
    }
}

extension LoopCore {
    /// Records a step.
    @inlinable @inline(never)
    func record(
        _ taken: borrowing EventQueue<Event>.Taken, _ stateBox: borrowing StateBox<State>,
        in journal: Plan.Journal
    ) {
        // The end of a run comes with the last step of it, so that no journal has the result of a run without its
        // end.
        recordEnds(before: queue.head)
        journal.stepped(
            taken.event, to: stateBox.value, feedback: declared(taken.feedback), run: taken.run,
            endsEntry: queue.isBetweenEntries, answers: recordsCall(of: taken))
    }

    /// Whether the step that is recorded also says that its run has begun. Otherwise, such a run is recorded first.
    @inlinable @inline(__always)
    func recordsCall(of taken: borrowing EventQueue<Event>.Taken) -> Bool {
        guard unrecorded.run != 0 else { return false }
        guard unrecorded == (declared(taken.feedback), taken.run) else {
            recordUnrecorded()
            return false
        }
        unrecorded.run = 0
        return true
    }

    /// The journal, once it has heard of all calls.
    @inlinable var journal: Plan.Journal? {
        recordUnrecorded()
        return spin.journal
    }

    @inlinable @inline(__always)
    func recordUnrecorded() { if unrecorded.run != 0 { recordUnrecordedCall() } }

    @usableFromInline
    func recordUnrecordedCall() {
        let (feedback, run) = unrecorded
        unrecorded.run = 0
        spin.journal?.began(feedback: feedback, run: run, events: 1, hasWaited: false)
    }

    /// Records an event without a new state.
    @inlinable @inline(never)
    func record(
        _ why: JournalRefusal, _ taken: borrowing EventQueue<Event>.Taken, in journal: Plan.Journal
    ) {
        recordEnds(before: queue.head)
        recordUnrecorded()
        journal.refused(
            taken.event, why, feedback: declared(taken.feedback), run: taken.run,
            endsEntry: queue.isBetweenEntries)
    }

    /// The index of a slot's feedback.
    @inlinable
    func declared(_ slot: Int32) -> Int32 {
        slot < Int32(spin.feedbacks.count) ? slot : self.slot(at: slot).feedback
    }

    /// Records the ends of runs whose events were all taken.
    @usableFromInline
    func recordEnds(before head: Int) {
        while let end = extras?.ends.popFirst(before: head) {
            journal?.ended(feedback: end.feedback, run: end.run, isCancelled: false)
        }
    }

    /// Records the end of a run, once the loop has taken its events.
    ///
    /// A stop cancels all runs, and some end before the loop does. The next process begins these again, so they have
    /// no end here.
    @usableFromInline
    func recordEnd(_ slot: Slot, _ number: UInt64) {
        guard spin.journal != nil, !has(LoopSignal.stop) else { return }
        obtainExtras().ends.append(
            JournaledEnds.End(position: queue.tail, feedback: slot.feedback, run: number))
        recordEnds(before: queue.head)
    }

    /// Records the call that begins a run.
    @inlinable @inline(never)
    func recordCall(_ slot: Slot, _ number: UInt64, _ status: EffectStatus, hasWaited: Bool) {
        let emitted = openEntry == 0 ? 0 : queue.count(at: openEntry)
        if recordsCallsLater, unrecorded.run == 0, status == .finished, !hasWaited, emitted == 1 {
            unrecorded = (slot.feedback, number)
            return
        }
        journal?.began(
            feedback: slot.feedback, run: number, events: status == .pending ? nil : emitted,
            hasWaited: hasWaited)
    }

    /// Records that the loop has nothing to do.
    @inlinable @inline(never)
    func recordRest() {
        recordEnds(before: .max)
        journal?.rested()
    }
}
