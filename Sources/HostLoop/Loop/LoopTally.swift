/// What the draining thread counts of every step, under the lock of the state.
@usableFromInline
struct LoopTally: Sendable {
    @usableFromInline var steps: UInt64 = 0
    @usableFromInline var unhandled: UInt64 = 0
    @usableFromInline var faults: UInt64 = 0

    @inlinable
    init() {}
}
