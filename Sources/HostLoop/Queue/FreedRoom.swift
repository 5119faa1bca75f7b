public import Synchronization

/// Room of a bounded mailbox that has come free, and that the mailbox does not count yet.
///
/// The draining thread frees room with each event that it takes, without the inbox's lock, which the emitters use.
/// A thread counts that room when it finds the mailbox full, and the draining thread when it looks into the inbox.
@usableFromInline
struct FreedRoom: ~Copyable, Sendable {
    /// Twice the number of events, and 1 while an entry or a watcher may wait for it. Two billion events
    /// fit, more than in any queue.
    @usableFromInline let word = Atomic<UInt32>(0)

    @inlinable
    init() {}

    /// Adds the room of `weight` events, without a lock. Returns whether an entry or a watcher may wait for it.
    @inlinable
    func add(_ weight: Int) -> Bool {
        let added = UInt32(truncatingIfNeeded: 2 &* weight)
        return word.wrappingAdd(added, ordering: .acquiringAndReleasing).newValue & 1 != 0
    }

    /// Takes the room out; the inbox's lock is held.
    ///
    /// - Parameter isAwaited: what `add` returns from now on.
    /// - Returns: the number of events.
    @inlinable
    func take(isAwaited: Bool) -> Int {
        Int(word.exchange(isAwaited ? 1 : 0, ordering: .acquiringAndReleasing) >> 1)
    }
}
