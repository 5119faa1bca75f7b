public import Synchronization

/// A run of a feedback's effect: the effect emits through it, hears of its cancellation from it, and ends it.
///
/// A run is a small value that is copied freely and used from any thread. It keeps the loop's memory, but it does not keep
/// the loop running. A run lasts until its trigger or strategy cancels or replaces it or the loop stops; it may emit until it
/// is finished.
///
/// On the loop's executor, all events that a call emits before it returns are one entry of the queue. The loop takes them in
/// order, never splits them once begun, and withdraws them whole before; the entry has the place of its first event. After
/// the call has returned, and at any time on other executors, each emission is an entry of its own and queued at once: a
/// long call elsewhere would otherwise hold its events back.
public struct Run<Event: Sendable>: Sendable {
    @usableFromInline let target: RunTarget<Event>
    /// The run's number among the runs of its feedback in this loop, from 1.
    public let number: UInt64

    @inlinable @inline(__always)
    init(target: RunTarget<Event>, number: UInt64) {
        self.target = target
        self.number = number
    }

    /// The target's operations, for all but the fastest ways.
    @inlinable var operations: any RunOperations<Event> {
        // Safe because the flag says which of the two classes it is.
        guard target.isSlot else { return unsafe unsafeDowncast(target, to: RunRelay<Event>.self) }
        // Safe for the same reason.
        return unsafe unsafeDowncast(target, to: RunSlot<Event>.self)
    }

    /// Queues an event; never waits and never runs the loop's code (`LoopExecutor.caller` excepted).
    /// - Returns: `.cancelled`, counted as late, once the run is ended or finished; `.stopped` once the loop
    ///   stops; `.full` when a bounded mailbox has no room, which cannot happen in a call on the loop's
    ///   executor.
    @inlinable @inline(__always) @discardableResult
    public func emit(_ event: consuming Event) -> EmitResult {
        guard target.calling.load(ordering: .relaxed) == number else {
            return emitByTarget(consume event, rest: nil)
        }
        // Safe because only a slot's `calling` is ever set.
        let slot = unsafe unsafeDowncast(target, to: RunSlot<Event>.self)
        return slot.door.emit(consume event, from: slot, number)
    }

    /// Queues events as one entry, in order; an empty sequence queues nothing.
    @inlinable @discardableResult
    public func emit(contentsOf events: some Sequence<Event>) -> EmitResult {
        var rest = ContiguousArray(events)
        guard !rest.isEmpty else { return isCancelled ? .cancelled : .queued }
        let first = rest.removeFirst()
        return emitByTarget(first, rest: rest.isEmpty ? nil : rest)
    }

    /// Queues events that are not one event of a call on the loop's executor.
    @inlinable
    func emitByTarget(_ event: Event, rest: ContiguousArray<Event>?) -> EmitResult {
        guard target.isSlot else { return operations.emit(event, rest: rest, from: number) }
        // Safe because the flag says so.
        return unsafe unsafeDowncast(target, to: RunSlot<Event>.self).emit(event, rest: rest, from: number)
    }

    /// Queues an event like `emit`, but waits for room while a bounded mailbox is full, whatever its overflow.
    ///
    /// The mailbox serves waiting senders first come, first served, before any later `send`. The call stays on the caller's
    /// actor; it does not suspend when there is room.
    /// - Returns: `.queued`; `.cancelled` when the task or the run is cancelled while it waits, and nothing is
    ///   queued then; `.full` when a task that is cancelled already would have to wait; `.stopped` when the
    ///   loop stops first.
    @discardableResult
    public nonisolated(nonsending) func send(_ event: Event) async -> EmitResult {
        // A cancelled task does not wait; `emit` finds and counts that its run is over.
        guard !Task.isCancelled, operations.capacity.limit != nil else { return emit(event) }
        let ticket = RoomTicket()
        if let result = emit(event, waiting: ticket) { return result }
        return await ticket.value()
    }

    /// Whether the run was cancelled or replaced, or the loop stops; an atomic load or two, and a lock once the loop stops.
    @inlinable
    public var isCancelled: Bool { operations.isCancelled(number) }

    /// Calls `handler` once when the run is cancelled; at once if it is already.
    ///
    /// The loop calls it on its executor, or on the thread that stops the loop; it must not wait. A run that has finished is
    /// not cancelled any more.
    @inlinable
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        operations.onCancel(number, CancelHandler(handler))
    }

    /// Ends a pending run. A cancelled run must end too, since `Loop.ended` waits for it. Repeating it does nothing.
    @inlinable
    public func finish() { operations.finish(number) }

    /// Ends a pending run with a failure: the feedback's `catch` turns it into an event, else it is a fault.
    /// The loop ignores the failure of a cancelled run.
    @inlinable
    public func fail(_ error: any Error) { operations.fail(number, error) }

    /// Calls `body` as a further call of a pending run: where its effect executes, on the loop's executor or
    /// the one that `Feedback.execute(on:)` names, once the step at hand is done.
    ///
    /// May be called from any thread. What `body` emits before it returns is one entry of the queue; its
    /// answer ends the run or leaves it pending; what it throws fails the run. It waits for a call of the run
    /// that still executes elsewhere. When the run is over by then it is not called, which ends a cancelled run
    /// as `finish()` does.
    public func resume(_ body: @escaping @Sendable (Run<Event>) throws -> EffectStatus) {
        let (target, number) = (target, number)
        operations.resume(number) { try body(Run(target: target, number: number)) }
    }

    /// The same after `delay` of the loop's clock; cancelling the run takes it back, and ends the run.
    public func resume(
        after delay: Duration, _ body: @escaping @Sendable (Run<Event>) throws -> EffectStatus
    ) {
        let due = CancelHandler.Expiry()
        let timer = clock.schedule(at: clock.now.advanced(by: delay)) {
            due.set()
            resume(body)
        }
        operations.onCancel(
            number,
            CancelHandler(until: due) {
                // Once due it is up to the call, or to what that has begun, to end the run.
                guard !due.isSet else { return }
                timer.cancel()
                finish()
            })
    }

    /// The clock of the loop.
    public var clock: any LoopClock { operations.clock }

    /// The flows and runs of the loop that can be cancelled by an id.
    package var cancellationIDs: CancellationIDs { operations.cancellationIDs }
}
