public import CMemoryOrder
import Dispatch
public import Synchronization

/// The lock of a loop's state, biased to the thread that drains the loop. That thread takes the lock without
/// an atomic exchange, until another thread needs it while the loop is not idle. Then that other thread
/// revokes the bias, and this is a `Lock` for all threads.
///
/// The draining thread writes that it is in the reducer, and then reads the bias. The revoking thread writes
/// that it revokes, and then looks for a reducer. The order of both needs a full barrier on each side, or
/// membarrier(2) on the side that acts only once. Where the system lacks that call, there is no bias.
@usableFromInline
struct StateLock: ~Copyable, Sendable {
    @usableFromInline
    enum Bias: UInt8, AtomicRepresentable, Sendable {
        case towardDrain
        /// The draining thread may be in a reducer that it has begun before.
        case beingRevoked
        case none
    }

    @usableFromInline let lock = Lock(())
    /// Changes from `towardDrain` with the inbox's lock held.
    @usableFromInline let bias = Atomic(StateLock.initialBias)
    /// The draining thread has the lock by its bias, or is about to see that there is no bias.
    @usableFromInline let isHeldByBias = Atomic(false)
    /// No event may be performed. Read and written with the lock held.
    @usableFromInline let isParked = Atomic(false)
    /// The thread that is in the reducer without the bias, with the lock held; or 0.
    @usableFromInline let reducing = Atomic<UInt>(0)

    @usableFromInline static let initialBias = memory_order_has_process() ? Bias.towardDrain : .none

    /// The semaphores of threads that wait for a reducer to end before they revoke a bias, by the loop.
    private static let revoking = Lock<[ObjectIdentifier: DispatchSemaphore]>([:])

    @inlinable
    init() {}

    /// Whether the calling thread is in the reducer.
    /// - Parameter drains: Whether the calling thread drains the loop.
    @inlinable
    func isReducing(drains: Bool) -> Bool {
        reducing.load(ordering: .relaxed) == currentThread()
            || (drains && isHeldByBias.load(ordering: .relaxed))
    }

    @inlinable var isBiased: Bool { bias.load(ordering: .relaxed) == .towardDrain }

    /// Takes the lock on the draining thread, if the lock has its bias. Returns false otherwise.
    @inlinable @inline(__always)
    func takeByBias(_ loop: AnyObject) -> Bool {
        isHeldByBias.store(true, ordering: .relaxed)
        memory_order_compiler()
        guard bias.load(ordering: .acquiring) == .towardDrain else {
            releaseByBias()
            // A thread that revokes the bias may have seen this thread's short claim, and sleep.
            if bias.load(ordering: .relaxed) == .beingRevoked { Self.wakeRevoking(loop) }
            return false
        }
        return true
    }

    /// Releases a lock that was taken by its bias.
    @inlinable @inline(__always)
    func releaseByBias() {
        isHeldByBias.store(false, ordering: .releasing)
    }

    /// Wakes the thread that revokes the bias of a loop, which the calling thread drains and is not in the reducer of.
    @usableFromInline
    static func wakeRevoking(_ loop: AnyObject) {
        revoking.withLock { $0[ObjectIdentifier(loop)] }?.signal()
    }

    /// Calls `body` with the lock held: on the draining thread, or on any thread once there is no bias.
    @inlinable @inline(__always)
    func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }

    /// The same for a reducer.
    @inlinable @inline(__always)
    func reduceWithLock<Result: Sendable>(_ body: () -> Result) -> Result {
        lock.withLock { _ in
            reducing.store(currentThread(), ordering: .relaxed)
            defer { reducing.store(0, ordering: .relaxed) }
            return body()
        }
    }

    /// Revokes the bias: waits for a reducer that may have begun before. Must not be called on the draining
    /// thread.
    @usableFromInline
    func revokeBias(of loop: AnyObject) {
        // The call fails if a plugin has made the system refuse it. The other thread's writes are visible
        // long before this pause is over, although no memory model guarantees it.
        if !memory_order_process() { Platform.pause() }
        // The lock is held, so that the next reducer must wait.
        lock.withLock { _ in
            // Another thread may have revoked the bias meanwhile: then nobody would wake this one.
            guard bias.load(ordering: .acquiring) == .beingRevoked else { return }
            if isHeldByBias.load(ordering: .acquiring) { waitForReducer(of: loop) }
            bias.store(.none, ordering: .releasing)
        }
    }

    /// Sleeps until the draining thread is not in the reducer. Only one thread is here at a time, as it holds
    /// the lock.
    private func waitForReducer(of loop: AnyObject) {
        let id = ObjectIdentifier(loop)
        let hasEnded = DispatchSemaphore(value: 0)
        Self.revoking.withLock { $0[id] = hasEnded }
        // The draining thread looks for the semaphore after it has cleared the flag, so one of the two sees
        // the other.
        while isHeldByBias.load(ordering: .acquiring) { hasEnded.wait() }
        Self.revoking.withLock { $0[id] = nil }
    }

    // MARK: - Parking

    /// Begins the parking, with the lock held.
    func park() { isParked.store(true, ordering: .relaxed) }

    /// Ends the parking, with the lock held.
    func unpark() { isParked.store(false, ordering: .relaxed) }
}
