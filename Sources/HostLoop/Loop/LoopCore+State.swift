public import Synchronization

/// The state as other threads see it.
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

    /// The state, unless the loop is at work or its lock has no bias: else nothing changes it while the inbox is held.
    @inlinable var restingState: State? {
        guard stateLock.isBiased else { return nil }
        return inbox.withLock { inbox in
            inbox.phase != .active && stateLock.isBiased ? performed?.state ?? state : nil
        }
    }

    /// Makes the lock of the state one that the calling thread can take, too.
    @inlinable
    func revokeBias() {
        guard stateLock.bias.load(ordering: .acquiring) != .none else { return }
        // Who claims a resting loop after that sees it.
        let mayReduce = inbox.withLock { inbox in
            guard stateLock.isBiased else { return true }
            let isActive = inbox.phase == .active
            stateLock.bias.store(isActive ? .beingRevoked : .none, ordering: .releasing)
            return isActive
        }
        if mayReduce { stateLock.revokeBias(of: self) }
    }
}
