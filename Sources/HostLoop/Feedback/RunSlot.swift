public import Synchronization

/// What a feedback's runs share within one loop, as far as the type of the state does not matter.
// Safe because the atomics are atomic, and every other variable is touched only by the thread that drains
// the loop; one drains after another, ordered by the lock of the inbox.
@usableFromInline
class RunSlot<Event: Sendable>: RunTarget<Event>, @unchecked Sendable {
    // What is small comes first, where it fits behind what every target has: an idle loop should be small.

    /// A run lasts, or a request waits.
    @usableFromInline @safe @exclusivity(unchecked) final var lasts = false
    /// What the state at hand means for this feedback.
    @usableFromInline @safe @exclusivity(unchecked) final var change = RequestChange.same
    /// Runs that are neither finished nor ended: pending, or executing elsewhere.
    @usableFromInline @safe @exclusivity(unchecked) final var open: Int32 = 0
    @usableFromInline final let mailbox: Mailbox<Event>
    /// The slot's place among those of the loop.
    @usableFromInline final let index: Int32
    /// The feedback's place in the order of declaration: differs from `index` in the slot of one key.
    @usableFromInline final let feedback: Int32
    @usableFromInline final let policy: RunPolicy
    /// The number of the last run.
    @usableFromInline @safe @exclusivity(unchecked) final var number: UInt64 = 0
    /// Runs up to this number were cancelled or replaced.
    @usableFromInline final let endedThrough = Atomic<UInt64>(0)
    /// Position of the current run's first entry in the queue, or 0.
    @usableFromInline @safe @exclusivity(unchecked) final var first = 0
    /// Position of the current run's last entry; without a first one, `place`.
    @usableFromInline @safe @exclusivity(unchecked) final var last = 0

    /// Position of the earliest entry withdrawn in this step, while the new run has none of its own; or 0.
    @inlinable final var place: Int {
        get { first == 0 ? last : 0 }
        set { if first == 0 { last = newValue } }
    }

    @inlinable
    init(mailbox: Mailbox<Event>, index: Int32, feedback: Int32, policy: RunPolicy) {
        self.mailbox = mailbox
        self.index = index
        self.feedback = feedback
        self.policy = policy
        super.init(isSlot: true)
    }

    /// Notes an entry of the current run, so that it can be withdrawn.
    @inlinable @inline(__always)
    final func note(_ position: Int, in queue: inout EventQueue<Event>) {
        guard policy.withdraws else { return }
        if first == 0 { first = position } else { queue.link(last, to: position) }
        last = position
    }

    /// The current run's first entry was taken; `next` follows it.
    @inlinable @inline(__always)
    final func advance(to next: Int) {
        first = next
        if next == 0 { last = 0 }
    }

    @inlinable
    final func key(_ number: UInt64) -> RunKey {
        RunKey(feedback: feedback, number: number)
    }

    // MARK: - What a run says

    @usableFromInline
    override final func leave(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64
    ) -> EmitResult {
        take(event, rest: rest, from: number)
    }

    /// Takes an emission that is not part of a call, for this loop or for the one that has its place.
    @inlinable @inline(__always)
    final func take(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult {
        let result = mailbox.leave(event, rest: rest, from: self, number)
        return result == .stopped ? passOn(event, rest, number) : result
    }

    /// Leaves an emission that came after the stop to what goes on with the run.
    @usableFromInline
    final func passOn(_ event: Event, _ rest: ContiguousArray<Event>?, _ number: UInt64) -> EmitResult {
        guard let heir = mailbox.heir(of: self), let (event, rest) = heir.carried(event, rest) else {
            return .stopped
        }
        return Run(target: heir.slot, number: number).emit(contentsOf: [event] + (rest ?? []))
    }

    override final func leave(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64, waiting wait: RoomWait
    ) -> EmitResult? {
        let result = mailbox.leave(event, rest: rest, from: self, number, waiting: wait)
        guard result == .stopped, let heir = mailbox.heir(of: self) else { return result }
        guard let (event, rest) = heir.carried(event, rest) else { return .stopped }
        return heir.slot.leave(event, rest: rest, from: number, waiting: wait)
    }

    override final func leaveApart(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64
    ) -> EmitResult {
        mailbox.leave(event, rest: rest, from: self, number)
    }

    @usableFromInline
    override final func send(_ event: Event, from number: UInt64) async -> EmitResult {
        await mailbox.send(event, from: self, number)
    }

    @usableFromInline
    override final func isCancelled(_ number: UInt64) -> Bool {
        mailbox.isCancelled(self, number)
    }

    @usableFromInline
    override final func onCancel(_ number: UInt64, _ handler: CancelHandler) {
        mailbox.onCancel(self, number, handler)
    }

    @usableFromInline
    override final func finish(_ number: UInt64) {
        mailbox.finish(self, number, error: nil)
    }

    @usableFromInline
    override final func fail(_ number: UInt64, _ error: any Error) {
        let effectRun = Run(target: self, number: number)
        guard !effectRun.isCancelled, let event = mailbox.caught(error, feedback: feedback) else {
            return mailbox.finish(self, number, error: error)
        }
        effectRun.emit(event)
        mailbox.finish(self, number, error: nil)
    }

    override final func drop(_ event: Event, from number: UInt64) {
        mailbox.drop(event, rest: nil, from: self, number)
    }

    override final func resume(_ number: UInt64, _ body: @escaping RunTarget<Event>.Resumption) {
        mailbox.resume(self, number, body)
    }

    override final func isExecuting(_ number: UInt64) -> Bool {
        mailbox.isExecuting(self, number) || mailbox.heir(of: self)?.slot.isExecuting(number) ?? false
    }

    /// A further call of a run of this slot, made where the loop has another one in its place: it speaks as it did before.
    final func asBefore(_ body: @escaping RunTarget<Event>.Resumption) -> RunTarget<Event>.Resumption {
        { [self] run in try body(Run(target: self, number: run.number)) }
    }

    override final var cancellationIDs: CancellationIDs { mailbox.cancellationIDs }

    override final var capacity: MailboxCapacity { mailbox.capacity }

    @usableFromInline
    override final var clock: any LoopClock { mailbox.clock }
}
