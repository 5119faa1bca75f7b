/// A way into a loop from outside, from any thread or task; it keeps neither the loop nor its memory.
public struct Emitter<Event: Sendable>: Sendable {
    @usableFromInline weak let mailbox: Mailbox<Event>?

    @inlinable
    init(mailbox: Mailbox<Event>) {
        self.mailbox = mailbox
    }

    /// Queues an event; never waits and never runs the loop's code (`LoopExecutor.caller` excepted).
    ///
    /// If one emission returned before another was called, its event is reduced first.
    /// - Returns: `.queued`; `.full` when a bounded mailbox has no room; `.stopped` when the loop has stopped or
    ///   is gone.
    @inlinable @discardableResult
    public func emit(_ event: Event) -> EmitResult {
        mailbox?.emit(event) ?? .stopped
    }

    /// Reduces an event now, on the calling thread: see `Loop.perform(_:)`.
    /// - Returns: `.queued` when the event is applied; `.stopped` when the loop has stopped or is gone.
    @discardableResult
    public func perform(_ event: Event) -> EmitResult {
        mailbox?.perform([event]) ?? .stopped
    }

    /// Reduces events now, on the calling thread, with no other event between them.
    /// - Returns: `.queued` when the events are applied; `.stopped` when the loop has stopped or is gone.
    @discardableResult
    public func perform(_ events: some Sequence<Event>) -> EmitResult {
        mailbox?.perform(ContiguousArray(events)) ?? .stopped
    }

    /// Queues an event like `emit`, but waits for room while a bounded mailbox is full, whatever its overflow.
    ///
    /// Those who wait are served first come, first served, before any later `send`. Never suspends when the
    /// mailbox is unbounded.
    /// - Returns: `.queued`; `.cancelled` when the task is cancelled first, and nothing is queued then;
    ///   `.stopped` when the loop stops first.
    @inlinable @discardableResult
    public func send(_ event: Event) async -> EmitResult {
        guard let mailbox else { return .stopped }
        return await mailbox.send(event)
    }
}
