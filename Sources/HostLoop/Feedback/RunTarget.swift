public import Synchronization

/// What stands behind a `Run`: a feedback's slot in a loop, or a relay that stands before another run.
// Safe because it adds an atomic only.
@usableFromInline
class RunTarget<Event: Sendable>: @unchecked Sendable {
    @usableFromInline typealias Resumption = @Sendable (Run<Event>) throws -> EffectStatus

    /// The run whose call executes on the loop's executor, or 0; never another number in what is no
    /// `RunSlot`.
    @usableFromInline final let calling = Atomic<UInt64>(0)
    /// It is a `RunSlot`, which code that knows the type of the event calls directly: the table of methods of a generic
    /// class has those that do not.
    @usableFromInline final let isSlot: Bool

    @inlinable
    init(isSlot: Bool = false) {
        self.isSlot = isSlot
    }

    /// Takes an emission that is not part of a call on the loop's executor.
    @usableFromInline
    func leave(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult {
        preconditionFailure("the target of a run must take its events")
    }

    /// Takes an emission that is not part of a call, though it may be made within one.
    func leaveApart(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult {
        preconditionFailure("the target of a run must take its events")
    }

    /// Takes an emission, or keeps it until there is room: then nil, and `wait` hears of it.
    func leave(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64, waiting wait: RoomWait
    ) -> EmitResult? {
        preconditionFailure("the target of a run must take its events")
    }

    /// Takes an emission once there is room for it.
    @usableFromInline
    func send(_ event: Event, from number: UInt64) async -> EmitResult {
        preconditionFailure("the target of a run must take its events")
    }

    @usableFromInline
    func isCancelled(_ number: UInt64) -> Bool {
        preconditionFailure("the target of a run must know whether it is cancelled")
    }

    @usableFromInline
    func onCancel(_ number: UInt64, _ handler: CancelHandler) {
        preconditionFailure("the target of a run must know when it is cancelled")
    }

    @usableFromInline
    func finish(_ number: UInt64) {
        preconditionFailure("the target of a run must know its end")
    }

    @usableFromInline
    func fail(_ number: UInt64, _ error: any Error) {
        preconditionFailure("the target of a run must know its end")
    }

    /// Counts an event of a run that is over.
    func drop(_ event: Event, from number: UInt64) {
        preconditionFailure("the target of a run must count its late events")
    }

    /// Calls `body` as a further call of the run.
    func resume(_ number: UInt64, _ body: @escaping Resumption) {
        preconditionFailure("the target of a run must be able to call it again")
    }

    /// Whether the calling thread is in the run's call on the loop's executor.
    func isExecuting(_ number: UInt64) -> Bool {
        preconditionFailure("the target of a run must know where it is called")
    }

    /// What can be cancelled by an id within the loop.
    var cancellationIDs: CancellationIDs {
        preconditionFailure("the target of a run must know what can be cancelled")
    }

    /// How much the mailbox behind holds.
    var capacity: MailboxCapacity {
        preconditionFailure("the target of a run must have a mailbox")
    }

    @usableFromInline
    var clock: any LoopClock {
        preconditionFailure("the target of a run must have a clock")
    }
}
