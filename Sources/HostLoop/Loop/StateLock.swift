public import CMemoryOrder
import Dispatch
public import Synchronization

/// The lock of a loop's state, biased to the thread that drains the loop: that thread takes it without an exchange that
/// locks memory, until another thread wants it and does not find the loop at rest. Then that thread revokes the bias, and
/// this is a `Lock` for all.
///
/// The draining thread notes that it is in the reducer, and then looks at the bias; the revoking thread notes that it revokes,
/// and then looks for a reducer. To keep both in order takes a full barrier on each side, or membarrier(2) on the side that
/// comes once. Where the system lacks that, there is no bias.
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
    /// Changes from `towardDrain` with the inbox's lock held.
    @usableFromInline let bias = Atomic(StateLock.initialBias)
    /// The draining thread has the lock by its bias, or is about to see that it has none.
    @usableFromInline let isHeldByBias = Atomic(false)
    /// No event may be performed; read and written with the lock held.
    @usableFromInline let isParked = Atomic(false)
    /// The thread that is in the reducer with the lock held otherwise, or 0.
    @usableFromInline let reducing = Atomic<UInt>(0)

    @usableFromInline static let initialBias = memory_order_has_process() ? Bias.towardDrain : .none

    /// The threads that wait for a reducer to end before a bias is revoked, by the loop.
    private static let revoking = Lock<[ObjectIdentifier: DispatchSemaphore]>([:])

    @inlinable
    init() {}

    /// Whether the calling thread is in the reducer; `drains`: whether it drains the loop.
    @inlinable
    func isReducing(drains: Bool) -> Bool {
        reducing.load(ordering: .relaxed) == currentThread()
            || (drains && isHeldByBias.load(ordering: .relaxed))
    }

    @inlinable var isBiased: Bool { bias.load(ordering: .relaxed) == .towardDrain }

    /// Takes the lock on the draining thread by its bias; false when it has none.
    @inlinable @inline(__always)
    func takeByBias(_ loop: AnyObject) -> Bool {
        isHeldByBias.store(true, ordering: .relaxed)
        memory_order_compiler()
        guard bias.load(ordering: .acquiring) == .towardDrain else {
            releaseByBias(loop)
            return false
        }
        return true
    }

    /// Releases a lock that was taken so.
    @inlinable @inline(__always)
    func releaseByBias(_ loop: AnyObject) {
        isHeldByBias.store(false, ordering: .releasing)
        memory_order_compiler()
        if bias.load(ordering: .relaxed) == .beingRevoked { wakeRevoking(loop) }
    }

    @usableFromInline
    func wakeRevoking(_ loop: AnyObject) {
        Self.revoking.withLock { $0[ObjectIdentifier(loop)] }?.signal()
    }

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
    func revokeBias(of loop: AnyObject) {
        // A plugin may have had the system refuse such calls. The other thread's writes are visible long before this is over,
        // though no memory model says so.
        if !memory_order_process() { Platform.pause() }
        // Held, so that the next reducer has to wait.
        lock.withLock { _ in
            if isHeldByBias.load(ordering: .acquiring) { waitForReducer(of: loop) }
            bias.store(.none, ordering: .releasing)
        }
    }

    /// Sleeps until the draining thread is not in the reducer. One thread at a time, as it holds the lock.
    private func waitForReducer(of loop: AnyObject) {
        let id = ObjectIdentifier(loop)
        let hasEnded = DispatchSemaphore(value: 0)
        Self.revoking.withLock { $0[id] = hasEnded }
        // The draining thread looks for the semaphore after it has cleared this: so one of the two sees the other.
        while isHeldByBias.load(ordering: .acquiring) { hasEnded.wait() }
        Self.revoking.withLock { $0[id] = nil }
    }

    // MARK: - Parking

    /// Parks the loop, with the lock held; false when it must not be parked yet.
    func park(unless isBusy: Bool) -> Bool {
        if !isBusy { isParked.store(true, ordering: .relaxed) }
        return !isBusy
    }

    /// Ends that, with the lock held.
    func unpark() { isParked.store(false, ordering: .relaxed) }
}
