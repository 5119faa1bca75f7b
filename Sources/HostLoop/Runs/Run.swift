public import Synchronization

/// A run of a feedback's effect. Through it the effect emits events, learns that it is cancelled, and ends.
///
/// A run is a small value. Code may copy it freely and use it from any thread. It keeps the loop's memory,
/// but it does not keep the loop running. A run lasts until its trigger or strategy cancels or replaces it,
/// or the loop stops. It may emit until it is finished.
///
/// On the loop's executor, all events that a call emits before it returns are one entry of the queue, at the
/// position of the first event. The loop takes these events in order and never splits an entry that it has
/// begun. An entry that is not begun is withdrawn whole. Emissions after the call has returned, and all
/// emissions on other executors, are entries of their own and queued at once. Otherwise a long call on
/// another executor would hold its events back.
public struct Run<Event: Sendable>: Sendable {
    @usableFromInline let target: RunTarget<Event>
    /// The run's number among the runs of its feedback in this loop, from 1.
    public let number: UInt64

    @inlinable @inline(__always)
    init(target: RunTarget<Event>, number: UInt64) {
        self.target = target
        self.number = number
    }

    /// The target's operations, for all paths except the fastest ones.
    @inlinable var operations: any RunOperations<Event> {
        // Safe because a target that is not a slot is a relay.
        guard target.isSlot else { return unsafe unsafeDowncast(target, to: RunRelay<Event>.self) }
        // Safe because a target that is not a relay is a slot.
        return unsafe unsafeDowncast(target, to: RunSlot<Event>.self)
    }

    /// Queues an event. It never waits, and it never runs the loop's code (except on `LoopExecutor.caller`).
    /// - Returns: `.queued`. It is `.cancelled`, and the event counts as late, once the run has ended or
    ///   finished. It is `.stopped` once the loop stops. It is `.full` when a bounded mailbox has no room;
    ///   this cannot happen in a call on the loop's executor.
    @inlinable @inline(__always) @discardableResult
    public func emit(_ event: consuming Event) -> EmitResult {
        guard target.calling.load(ordering: .relaxed) == number else {
            return emitByTarget(consume event, rest: nil)
        }
        // Safe because only slots set `calling`.
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

    /// Queues events through the target: for all emissions except one event of a call on the loop's executor.
    @inlinable
    func emitByTarget(_ event: Event, rest: ContiguousArray<Event>?) -> EmitResult {
        guard target.isSlot else { return operations.emit(event, rest: rest, from: number) }
        // Safe because the flag says so.
        return unsafe unsafeDowncast(target, to: RunSlot<Event>.self).emit(event, rest: rest, from: number)
    }

    /// Queues an event like `emit`, but waits for room while a bounded mailbox is full, under every overflow
    /// rule.
    ///
    /// The mailbox serves waiting senders first come, first served, before any later `send`. The call stays
    /// on the caller's actor; it does not suspend when there is room.
    /// - Returns: `.queued`. It is `.cancelled` when the task or the run is cancelled during the wait; then
    ///   nothing is queued. It is `.full` when a task that is already cancelled would have to wait. It is
    ///   `.stopped` when the loop stops first.
    @discardableResult
    public nonisolated(nonsending) func send(_ event: Event) async -> EmitResult {
        // A cancelled task does not wait. `emit` detects and counts a run that has ended.
        guard !Task.isCancelled, operations.capacity.limit != nil else { return emit(event) }
        let ticket = RoomTicket()
        if let result = emit(event, waiting: ticket) { return result }
        return await ticket.value()
    }

    /// Whether the run was cancelled or replaced, or the loop stops. It costs one or two atomic loads, and a
    /// lock once the loop stops.
    @inlinable
    public var isCancelled: Bool { operations.isCancelled(number) }

    /// Calls `handler` once when the run is cancelled, or at once if it is cancelled already.
    ///
    /// The loop calls it on its executor, or on the thread that stops the loop. The handler must not wait. A
    /// finished run can no longer be cancelled. If the effect ends the run after `isCancelled` has become true, the
    /// handler is called all the same, perhaps after that end.
    @inlinable
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        operations.onCancel(number, CancelHandler(handler))
    }

    /// Ends a pending run. A cancelled run must call it, too, since `Loop.ended` waits for it. Further calls
    /// do nothing. A call of the run that executes on the loop's executor may emit until it returns.
    @inlinable
    public func finish() { operations.finish(number) }

    /// Ends a pending run with a failure. The feedback's `catch` turns the failure into an event; otherwise
    /// it is a fault. The loop ignores the failure of a cancelled run.
    @inlinable
    public func fail(_ error: any Error) { operations.fail(number, error) }

    /// Calls `body` as another call of a pending run, once the current step is done. It executes where the
    /// effect executes: on the loop's executor, or on the one that `Feedback.execute(on:)` names.
    ///
    /// Any thread may call this. All that `body` emits before it returns is one entry of the queue. Its
    /// result ends the run or leaves it pending. An error that it throws fails the run. It waits for a call
    /// of the run that still executes elsewhere. If the run has ended by then, `body` is not called; this
    /// ends a cancelled run as `finish()` does.
    public func resume(_ body: @escaping @Sendable (Run<Event>) throws -> EffectStatus) {
        let (target, number) = (target, number)
        operations.resume(number) { try body(Run(target: target, number: number)) }
    }

    /// The same after `delay`, by the loop's clock. Cancelling the run cancels the call and ends the run.
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
                // Once the delay is over, the call or the code that it starts must end the run.
                guard !due.isSet else { return }
                timer.cancel()
                finish()
            })
    }

    /// The clock of the loop.
    public var clock: any LoopClock { operations.clock }

    /// The flows and runs of the loop that can be cancelled by an id.
    package var cancellationIDs: CancellationIDs { operations.cancellationIDs }

    /// The capacity of the loop's mailbox.
    package var capacity: MailboxCapacity { operations.capacity }

    /// Counts an event that the caller has dropped because the bounded mailbox was full.
    package func countFull() { operations.countFull() }
}
