public import CMemoryOrder
import Glibc
public import Synchronization

/// The lock of a loop's state, biased to the thread that drains the loop: that thread takes it without an exchange that
/// locks memory, until another one wants it and does not find the loop at rest. Then the bias is revoked, and it is a `Lock` for all.
///
/// The draining thread says that it is in the reducer, and then looks for the bias; who revokes that says so, and then looks
/// for a reducer. To keep both in order takes a full barrier on each side, or membarrier(2) on the side that comes once. Where
/// the system lacks that, there is no bias.
@usableFromInline
struct StateLock: ~Copyable, Sendable {
    @usableFromInline
    enum Bias: UInt8, AtomicRepresentable, Sendable {
        case towardDrain
        /// The draining thread may be in a reducer that it began before.
        case beingRevoked
        case none
    }

    @usableFromInline let lock = Lock(())
    /// Leaves `towardDrain` with the inbox's lock held.
    @usableFromInline let bias = Atomic(StateLock.initialBias)
    /// The draining thread has the lock by its bias, or is about to see that it has none.
    @usableFromInline let isHeldByBias = Atomic(false)
    /// No event may be performed; read and written with the lock held.
    @usableFromInline let isParked = Atomic(false)
    /// The thread that is in the reducer with the lock held otherwise, or 0.
    @usableFromInline let reducing = Atomic<UInt>(0)

    @usableFromInline static let initialBias = memory_order_has_process() ? Bias.towardDrain : .none

    @inlinable
    init() {}

    /// Whether the calling thread is in the reducer; `drains`: whether it drains the loop.
    @inlinable
    func isReducing(drains: Bool) -> Bool {
        reducing.load(ordering: .relaxed) == currentThread()
            || (drains && isHeldByBias.load(ordering: .relaxed))
    }

    @inlinable var isBiased: Bool { bias.load(ordering: .relaxed) == .towardDrain }

    /// Takes the lock on the draining thread by its bias; false: it has none.
    @inlinable @inline(__always)
    func takeByBias() -> Bool {
        isHeldByBias.store(true, ordering: .relaxed)
        memory_order_compiler()
        guard bias.load(ordering: .acquiring) == .towardDrain else {
            leaveByBias()
            return false
        }
        return true
    }

    /// Gives back a lock that was taken so.
    @inlinable @inline(__always)
    func leaveByBias() {
        isHeldByBias.store(false, ordering: .releasing)
    }

    /// Parks the loop, with the lock held; false when it must not be parked yet.
    func park(unless isBusy: Bool) -> Bool {
        if !isBusy { isParked.store(true, ordering: .relaxed) }
        return !isBusy
    }

    /// Ends that, with the lock held.
    func unpark() { isParked.store(false, ordering: .relaxed) }

    /// Holds the lock: on the draining thread, or on others once there is no bias.
    @inlinable @inline(__always)
    func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }

    /// The same for reducers.
    @inlinable @inline(__always)
    func reduceWithLock<Result: Sendable>(_ body: () -> Result) -> Result {
        lock.withLock { _ in
            reducing.store(currentThread(), ordering: .relaxed)
            defer { reducing.store(0, ordering: .relaxed) }
            return body()
        }
    }

    /// Waits for a reducer that may have begun before the bias was being revoked. Not on the draining thread.
    @usableFromInline
    func revokeBias() {
        // A plugin may have had the system refuse such calls. What a thread has written is seen long before this is over.
        if !memory_order_process() { while usleep(1000) != 0 {} }
        // Held, so that the next reducer has to wait.
        lock.withLock { _ in
            var pause: UInt32 = 1
            while isHeldByBias.load(ordering: .acquiring) {
                usleep(pause)
                pause = min(2 * pause, 1000)
            }
            bias.store(.none, ordering: .releasing)
        }
    }
}
