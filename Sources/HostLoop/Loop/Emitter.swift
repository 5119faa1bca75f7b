/// A way into a loop from outside, for any thread or task. It keeps neither the loop nor the loop's memory.
public struct Emitter<Event: Sendable>: Sendable {
    @usableFromInline weak let door: Door<Event>?

    @inlinable
    init(door: Door<Event>) {
        self.door = door
    }

    /// Queues an event. It never waits, and it never runs the loop's code (except on `LoopExecutor.caller`).
    ///
    /// If one emission returned before another was called, its event is reduced first.
    /// - Returns: `.queued`; `.full` when a bounded mailbox has no room; `.stopped` when the loop has stopped
    ///   or is gone.
    @inlinable @discardableResult
    public func emit(_ event: Event) -> EmitResult {
        door?.emit(event) ?? .stopped
    }

    /// Reduces an event now, on the calling thread: see `Loop.perform(_:)`.
    /// - Returns: `.queued` when the event is applied; `.stopped` when the loop has stopped or is gone.
    @discardableResult
    public func perform(_ event: Event) -> EmitResult {
        door.map { $0.plan.perform($0, [event]) } ?? .stopped
    }

    /// Reduces events now, on the calling thread, with no other event between them.
    /// - Returns: `.queued` when the events are applied; `.stopped` when the loop has stopped or is gone.
    @discardableResult
    public func perform(_ events: some Sequence<Event>) -> EmitResult {
        door.map { $0.plan.perform($0, ContiguousArray(events)) } ?? .stopped
    }

    /// Queues an event like `emit`, but waits for room while a bounded mailbox is full, under every overflow
    /// rule.
    ///
    /// The mailbox serves waiting senders first come, first served, before any later `send`. The call stays
    /// on the caller's actor; it does not suspend when there is room.
    /// - Returns: `.queued`. It is `.cancelled` when the task is cancelled first; then nothing is queued. It
    ///   is `.stopped` when the loop stops first.
    @discardableResult
    public nonisolated(nonsending) func send(_ event: Event) async -> EmitResult {
        guard let door else { return .stopped }
        return await door.send(event)
    }
}

/// The result of an emission.
public enum EmitResult: Sendable, Hashable {
    /// The event is in the loop's queue.
    case queued
    /// The bounded mailbox had no room. The event was dropped and counted (`LoopCounters.dropped`).
    case full
    /// The run that emitted was cancelled, replaced or finished. The event was dropped and counted as late.
    /// For `send` it also means that its task was cancelled and that the event was never queued.
    case cancelled
    /// The loop has stopped or is gone; the event was dropped.
    case stopped
}
