public import Synchronization

/// The counters of a loop since its start.
public struct LoopCounters: Sendable, Hashable {
    /// Handled events: each made a new state. A performed event counts from its reduction on.
    public var steps: UInt64 = 0
    /// Events that the reducer did not handle.
    public var unhandled: UInt64 = 0
    /// Failures of the reducer, of `until`, of triggers, and of effects without a `catch`.
    public var faults: UInt64 = 0
    /// Events withdrawn before reduction because their run was cancelled or replaced.
    public var withdrawn: UInt64 = 0
    /// Events emitted by a run after it was cancelled, replaced or finished.
    public var late: UInt64 = 0
    /// Events that were queued when the loop stopped.
    public var discarded: UInt64 = 0
    /// Events that were emitted, sent or performed after the loop stopped; the call returned `.stopped`.
    public var refused: UInt64 = 0
    /// Events that a full bounded mailbox dropped: rejected new events, and old events that it removed to
    /// make room.
    public var dropped: UInt64 = 0
    /// Dropped starts of feedbacks with the strategy `queue`. A start is dropped if as many starts wait as a
    /// bounded mailbox has room for.
    public var droppedRequests: UInt64 = 0

    /// Makes counters with the value zero.
    @inlinable
    public init() {}

    /// Adds the counters of another loop.
    static func += (sum: inout LoopCounters, other: LoopCounters) {
        sum.steps += other.steps
        sum.unhandled += other.unhandled
        sum.faults += other.faults
        sum.withdrawn += other.withdrawn
        sum.late += other.late
        sum.discarded += other.discarded
        sum.refused += other.refused
        sum.dropped += other.dropped
        sum.droppedRequests += other.droppedRequests
    }
}

/// The counters of a loop's steps. One thread at a time writes them, under the lock of the state. Any thread
/// may read them.
@usableFromInline
struct LoopTally: ~Copyable, Sendable {
    @usableFromInline let steps = Atomic<UInt64>(0)
    @usableFromInline let unhandled = Atomic<UInt64>(0)
    @usableFromInline let faults = Atomic<UInt64>(0)

    @inlinable
    init() {}

    /// Continues from the counts of another tally.
    func inherit(_ other: borrowing LoopTally) {
        steps.store(other.steps.load(ordering: .relaxed), ordering: .relaxed)
        unhandled.store(other.unhandled.load(ordering: .relaxed), ordering: .relaxed)
        faults.store(other.faults.load(ordering: .relaxed), ordering: .relaxed)
    }
}

extension Atomic<UInt64> {
    /// Adds one. Only one thread at a time may call it, so it needs no atomic read-modify-write.
    @inlinable @inline(__always)
    func count() {
        store(load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}
