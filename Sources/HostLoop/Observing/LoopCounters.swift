public import Synchronization

/// What a loop has counted since its start.
public struct LoopCounters: Sendable, Hashable {
    /// Events that were handled: each made a new state. Performed ones count from their reduction on.
    public var steps: UInt64 = 0
    /// Events that the reducer did not handle.
    public var unhandled: UInt64 = 0
    /// Failures of the reducer, of `until`, of triggers, and of effects without a `catch`.
    public var faults: UInt64 = 0
    /// Events taken back unreduced because their run was cancelled or replaced.
    public var withdrawn: UInt64 = 0
    /// Events emitted by a run after it was cancelled, replaced or finished.
    public var late: UInt64 = 0
    /// Events that were queued when the loop stopped.
    public var discarded: UInt64 = 0
    /// Events that were emitted, sent or performed after the loop stopped, and were answered `.stopped`.
    public var refused: UInt64 = 0
    /// Events that a bounded mailbox dropped because it was full: the refused ones and those that made room.
    public var dropped: UInt64 = 0
    /// Starts of feedbacks with the strategy `queue` that were dropped because as many as a bounded mailbox
    /// has room for waited already.
    public var droppedRequests: UInt64 = 0

    /// Makes counters that are all zero.
    @inlinable
    public init() {}
}

/// What the loop counts of its steps: by one thread at a time, under the lock of the state; read from any thread.
@usableFromInline
struct LoopTally: ~Copyable, Sendable {
    @usableFromInline let steps = Atomic<UInt64>(0)
    @usableFromInline let unhandled = Atomic<UInt64>(0)
    @usableFromInline let faults = Atomic<UInt64>(0)

    @inlinable
    init() {}

    /// Goes on counting where another one came to.
    func inherit(_ other: borrowing LoopTally) {
        steps.store(other.steps.load(ordering: .relaxed), ordering: .relaxed)
        unhandled.store(other.unhandled.load(ordering: .relaxed), ordering: .relaxed)
        faults.store(other.faults.load(ordering: .relaxed), ordering: .relaxed)
    }
}

extension Atomic<UInt64> {
    /// Counts one more; without an exchange that locks memory, as one thread at a time does.
    @inlinable @inline(__always)
    func count() {
        store(load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}
