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
    /// - Returns: `.queued`, or `.stopped` when the loop has stopped or is gone.
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
}
