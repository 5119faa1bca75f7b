public import Synchronization

/// A run of a feedback's effect: what the effect emits through, hears of its cancellation from, and ends
/// with.
///
/// A value of two words, copied freely and used from any thread; it keeps the loop's memory, never the loop
/// running. A run lasts until its trigger or strategy cancels or replaces it or the loop stops, and speaks
/// until it is finished.
///
/// On the loop's executor, everything that a call emits before it returns is one entry of the queue: taken in
/// order, never split once begun, withdrawn whole before; it has the place of its first event. After the
/// return, and on any other executor also before it, each emission is an entry of its own, queued at once: a
/// call that takes its time elsewhere would otherwise hold its events back.
public struct Run<Event: Sendable>: Sendable {
    @usableFromInline let target: RunTarget<Event>
    /// The run's number among the runs of its feedback in this loop, from 1.
    public let number: UInt64

    @inlinable @inline(__always)
    init(target: RunTarget<Event>, number: UInt64) {
        self.target = target
        self.number = number
    }

    /// What the target is, unless it stands before another run.
    @inlinable var slot: RunSlot<Event>? {
        // Safe because what says that it is a slot is one.
        target.isSlot ? unsafe unsafeDowncast(target, to: RunSlot<Event>.self) : nil
    }

    /// Queues an event; never waits and never runs the loop's code (`LoopExecutor.caller` excepted).
    /// - Returns: `.cancelled`, counted as late, once the run is ended or finished; `.stopped` once the loop
    ///   stops; `.full` when a bounded mailbox has no room, which cannot happen in a call on the loop's
    ///   executor.
    @inlinable @inline(__always) @discardableResult
    public func emit(_ event: consuming Event) -> EmitResult {
        guard target.calling.load(ordering: .relaxed) == number else {
            return leave(consume event, rest: nil)
        }
        // Safe because only a slot's `calling` is ever set.
        let slot = unsafe unsafeDowncast(target, to: RunSlot<Event>.self)
        return slot.mailbox.emit(consume event, from: slot, number)
    }

    /// Queues events as one entry, in order; an empty sequence queues nothing.
    @inlinable @discardableResult
    public func emit(contentsOf events: some Sequence<Event>) -> EmitResult {
        var rest = ContiguousArray(events)
        guard !rest.isEmpty else { return isCancelled ? .cancelled : .queued }
        if target.calling.load(ordering: .relaxed) == number {
            // Safe because only a slot's `calling` is ever set.
            let slot = unsafe unsafeDowncast(target, to: RunSlot<Event>.self)
            if slot.mailbox.isExecuting(slot, number) {
                var result = EmitResult.queued
                for event in rest { result = emit(event) }
                return result
            }
        }
        let first = rest.removeFirst()
        return leave(first, rest: rest.isEmpty ? nil : rest)
    }

    /// Queues what is not emitted from within a call, by code that knows the types.
    @inlinable
    func leave(_ event: Event, rest: ContiguousArray<Event>?) -> EmitResult {
        guard let slot else { return target.leave(event, rest: rest, from: number) }
        return slot.take(event, rest: rest, from: number)
    }

    /// Queues an event like `emit`, but waits for room while a bounded mailbox is full, whatever its overflow.
    ///
    /// Those who wait are served first come, first served, before any later `send`. Never suspends when the
    /// mailbox is unbounded.
    /// - Returns: `.queued`; `.cancelled` when the task or the run is cancelled while it waits, and nothing is
    ///   queued then; `.full` when a task that is cancelled already would have to wait; `.stopped` when the
    ///   loop stops first.
    @inlinable @discardableResult
    public func send(_ event: Event) async -> EmitResult {
        await target.send(event, from: number)
    }

    /// Whether the run was cancelled or replaced, or the loop stops; an atomic load or two, and a lock once the loop stops.
    @inlinable
    public var isCancelled: Bool {
        target.isCancelled(number)
    }

    /// Calls `handler` once when the run is cancelled; at once if it is already.
    ///
    /// It is called on the loop's executor, or on the thread that stops the loop, and must not wait. A run
    /// that has finished is not cancelled any more.
    @inlinable
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        guard let slot else { return target.onCancel(number, CancelHandler(handler)) }
        slot.mailbox.onCancel(slot, number, CancelHandler(handler))
    }

    /// Ends a pending run; also required of a run that was cancelled, since `Loop.ended` waits for it.
    /// Repeating it does nothing.
    @inlinable
    public func finish() {
        guard let slot else { return target.finish(number) }
        slot.mailbox.finish(slot, number, error: nil)
    }

    /// Ends a pending run with a failure: the feedback's `catch` turns it into an event, else it is a fault.
    /// The failure of a run that was cancelled is nobody's concern any more.
    @inlinable
    public func fail(_ error: any Error) {
        target.fail(number, error)
    }

    /// Calls `body` as a further call of a pending run: where its effect executes, on the loop's executor or
    /// the one that `Feedback.execute(on:)` names, once the step at hand is done.
    ///
    /// May be called from any thread. What `body` emits before it returns is one entry of the queue; its
    /// answer ends the run or leaves it pending; what it throws fails the run. It waits for a call of the run
    /// that still executes elsewhere. When the run is over by then it is not called, which ends a cancelled run
    /// as `finish()` does.
    public func resume(_ body: @escaping @Sendable (Run<Event>) throws -> EffectStatus) {
        target.resume(number, body)
    }

    /// The same after `delay` of the loop's clock; cancelling the run takes it back, and ends the run.
    public func resume(
        after delay: Duration, _ body: @escaping @Sendable (Run<Event>) throws -> EffectStatus
    ) {
        let due = CancelHandler.Spent()
        let timer = clock.schedule(at: clock.now.advanced(by: delay)) {
            due.set()
            resume(body)
        }
        target.onCancel(
            number,
            CancelHandler(until: due) {
                // Once due it is up to the call, or to what that has begun, to end the run.
                guard !due.isSet else { return }
                timer.cancel()
                finish()
            })
    }

    /// The clock of the loop.
    public var clock: any LoopClock { target.clock }

    /// The flows and runs of the loop that can be cancelled by an id.
    package var cancellationIDs: CancellationIDs { target.cancellationIDs }
}
