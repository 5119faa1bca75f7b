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
}
