public import Synchronization

/// The runs of a feedback within one loop, without the type of the state.
///
/// Only the draining thread uses a slot's plain properties: a run that only this thread knows needs no lock.
/// `RunTable` has the runs that other threads can change.
// Safe because the atomics are atomic, and only the thread that drains the loop touches the other variables.
// Draining threads come one after another, ordered by the inbox's lock.
@usableFromInline
class RunSlot<Event: Sendable>: RunTarget<Event>, RunOperations, @unchecked Sendable {
    // Small properties come first, where they fit behind the properties of every target: an idle loop should
    // be small.

    /// A run has not ended yet, or a request waits.
    @usableFromInline @safe @exclusivity(unchecked) final var hasRun = false
    /// The meaning of the current state for this feedback.
    @usableFromInline @safe @exclusivity(unchecked) final var change = RequestChange.same
    /// The number of runs that are neither finished nor ended: they are pending or execute elsewhere.
    @usableFromInline @safe @exclusivity(unchecked) final var unfinished: Int32 = 0
    @usableFromInline final let door: Door<Event>
    /// The slot's index among the slots of the loop.
    @usableFromInline final let index: Int32
    /// The feedback's index in the order of declaration. It differs from `index` in the slot of one key.
    @usableFromInline final let feedback: Int32
    @usableFromInline final let policy: RunPolicy
    /// The number of the last run.
    @usableFromInline @safe @exclusivity(unchecked) final var number: UInt64 = 0
    /// Runs up to this number were cancelled or replaced.
    @usableFromInline final let endedThrough = Atomic<UInt64>(0)
    /// Position of the current run's first entry in the queue, or 0.
    @usableFromInline @safe @exclusivity(unchecked) final var first = 0
    /// Position of the current run's last entry. Without a first entry: the vacant position.
    @usableFromInline @safe @exclusivity(unchecked) final var last = 0

    /// Position of the earliest entry withdrawn in this step, while the new run has no entry of its own; or
    /// 0.
    @inlinable final var vacancy: Int {
        get { first == 0 ? last : 0 }
        set { if first == 0 { last = newValue } }
    }

    @inlinable
    init(door: Door<Event>, index: Int32, feedback: Int32, policy: RunPolicy) {
        self.door = door
        self.index = index
        self.feedback = feedback
        self.policy = policy
        super.init(isSlot: true)
    }

    /// Links an entry of the current run, so that it can be withdrawn.
    @inlinable @inline(__always)
    final func link(_ position: Int, in queue: inout EventQueue<Event>) {
        guard policy.withdraws else { return }
        if first == 0 { first = position } else { queue.link(last, to: position) }
        last = position
    }

    /// Notes that the loop has taken the current run's first entry, which `next` follows.
    @inlinable @inline(__always)
    final func advance(to next: Int) {
        first = next
        if next == 0 { last = 0 }
    }

    /// Notes that the call of a run begins on the loop's executor.
    @inlinable @inline(__always)
    final func beginCall(_ number: UInt64) { calling.store(number, ordering: .releasing) }

    /// Notes that the call has returned.
    @inlinable @inline(__always)
    final func endCall() { calling.store(0, ordering: .releasing) }

    @inlinable
    final func key(_ number: UInt64) -> RunKey { RunKey(feedback: feedback, number: number) }

    /// Whether the run was cancelled or replaced.
    @inlinable
    final func hasEnded(_ number: UInt64) -> Bool { number <= endedThrough.load(ordering: .acquiring) }

    // MARK: - Operations of a run

    @inlinable
    final func emit(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult {
        guard door.isExecuting(self, number) else { return post(event, rest: rest, from: number) }
        var result = door.emit(event, from: self, number)
        for event in rest ?? [] { result = door.emit(event, from: self, number) }
        return result
    }

    /// Queues an entry of its own, in this loop or in its successor.
    @inlinable @inline(__always)
    final func post(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult {
        let result = door.post(event, rest: rest, from: self, number)
        return result == .stopped
            ? forward(event, rest, from: number, waiting: nil) ?? .stopped : result
    }

    @inlinable
    final func post(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64, waiting ticket: RoomTicket?
    ) -> EmitResult? {
        guard let ticket else { return post(event, rest: rest, from: number) }
        let result = door.post(event, rest: rest, from: self, number, waiting: ticket)
        return result == .stopped ? forward(event, rest, from: number, waiting: ticket) : result
    }

    /// Queues an entry that came after the stop, in this loop's successor.
    @usableFromInline
    final func forward(
        _ event: Event, _ rest: ContiguousArray<Event>?, from number: UInt64, waiting ticket: RoomTicket?
    ) -> EmitResult? {
        guard let continuation = door.continuation(of: self),
            let (event, rest) = continuation.translated(event, rest)
        else {
            return .stopped
        }
        guard ticket == nil else {
            return continuation.slot.post(event, rest: rest, from: number, waiting: ticket)
        }
        return continuation.slot.emit(event, rest: rest, from: number)
    }

    @usableFromInline
    final func drop(_ event: Event, from number: UInt64) {
        door.drop(event, rest: nil, from: self, number)
    }

    @usableFromInline
    final func isCancelled(_ number: UInt64) -> Bool { door.isCancelled(self, number) }

    @usableFromInline
    final func onCancel(_ number: UInt64, _ handler: CancelHandler) { door.onCancel(self, number, handler) }

    @usableFromInline
    final func finish(_ number: UInt64) { door.finish(self, number, error: nil) }

    @usableFromInline
    final func fail(_ number: UInt64, _ error: any Error) {
        let effectRun = Run(target: self, number: number)
        guard !effectRun.isCancelled, let event = door.recovered(error, feedback: feedback) else {
            return door.finish(self, number, error: error)
        }
        effectRun.emit(event)
        door.finish(self, number, error: nil)
    }

    @usableFromInline
    final func resume(_ number: UInt64, _ body: @escaping @Sendable () throws -> EffectStatus) {
        door.resume(self, number, body)
    }

    @usableFromInline
    final func isExecuting(_ number: UInt64) -> Bool {
        door.isExecuting(self, number) || door.continuation(of: self)?.slot.isExecuting(number) ?? false
    }

    @usableFromInline final var cancellationIDs: CancellationIDs { door.cancellationIDs }
    @usableFromInline final var capacity: MailboxCapacity { door.plan.mailbox }
    @usableFromInline
    final func whenRoom(for weight: Int, _ body: @escaping @Sendable () -> Void) -> Cancellation {
        door.continuation(of: self)?.slot.whenRoom(for: weight, body) ?? door.whenRoom(for: weight, body)
    }
    @usableFromInline
    final func countFull() { door.countFull() }
    @usableFromInline final var clock: any LoopClock { door.plan.clock }
}
