/// What became of an emitted event.
public enum EmitResult: Sendable, Hashable {
    /// The event is in the loop's queue.
    case queued
    /// The bounded mailbox had no room; the event was dropped and counted (`LoopCounters.dropped`).
    case full
    /// The run that emitted was cancelled, replaced or is finished; the event was dropped and counted as
    /// late. Of `send` also: its task was cancelled, and the event was never queued.
    case cancelled
    /// The loop has stopped or is gone; the event was dropped.
    case stopped
}
