public import Synchronization

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
