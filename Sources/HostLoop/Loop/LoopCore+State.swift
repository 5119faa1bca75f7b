public import Synchronization

/// Access to the state from other threads.
extension LoopCore {
    @inlinable
    var currentState: State {
        precondition(
            !isReducingHere,
            "a reducer read the state of its own loop; it is given the state as its argument")
        if !drainsHere {
            if let state = restingState { return state }
            revokeBias()
        }
        return stateLock.withLock { performed?.state ?? state }
    }

    /// Whether the calling thread drains the loop.
    @inlinable var drainsHere: Bool { thread.load(ordering: .relaxed) == currentThread() }

    /// Whether the calling thread is in the reducer.
    @inlinable var isReducingHere: Bool { stateLock.isReducing(drains: drainsHere) }

    /// The state of an idle loop whose lock is biased: nothing changes it while the inbox is locked.
    /// Otherwise nil.
    @inlinable var restingState: State? {
        guard stateLock.isBiased else { return nil }
        return inbox.withLock { inbox in
            inbox.phase != .active && stateLock.isBiased ? performed?.state ?? state : nil
        }
    }

    /// Revokes the bias, so that the calling thread can take the lock of the state, too.
    @inlinable
    func revokeBias() {
        guard stateLock.bias.load(ordering: .acquiring) != .none else { return }
        // A thread that claims the idle loop after this sees the change.
        let mayReduce = inbox.withLock { inbox in
            guard stateLock.isBiased else { return true }
            let isActive = inbox.phase == .active
            stateLock.bias.store(isActive ? .beingRevoked : .none, ordering: .releasing)
            if isActive { raise(LoopSignal.revoking) }
            return isActive
        }
        if mayReduce { stateLock.revokeBias(of: self) }
    }

    /// Wakes the thread that waits for the reducer, on the draining thread and outside the reducer.
    @inlinable @inline(never)
    func wakeRevoking() {
        inbox.withLock { _ in lower(LoopSignal.revoking) }
        StateLock.wakeRevoking(self)
    }
}
