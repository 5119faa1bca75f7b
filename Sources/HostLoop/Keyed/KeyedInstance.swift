/// The loop of one key.
@usableFromInline
final class KeyedInstance<Key: Hashable & Sendable, State: Sendable, Event: Sendable>: LoopOwner, Numbered,
    // Safe because all variables are set before any other thread knows of the instance.
    @unchecked Sendable
{
    @usableFromInline let key: Key
    /// It refers to this object until it has stopped, or until `discard`.
    @usableFromInline var loop: Loop<State, Event>!
    /// Counts the loops of all keys from 1.
    @usableFromInline var number: UInt64 = 0
    private let core: KeyedCore<Key, State, Event>

    @usableFromInline
    init(_ key: Key, of core: KeyedCore<Key, State, Event>) { (self.key, self.core) = (key, core) }

    /// Makes its loop, which does not begin yet.
    @inlinable
    func makeLoop(
        of spin: Spin<State, Event>, startingFrom state: State,
        observers: [any LoopObserver<State, Event>]
    ) {
        loop = spin.makeLoop(observers: observers, startingFrom: state)
        loop.core.owner = self
    }

    /// Releases a loop that never begins.
    @usableFromInline
    func discard() {
        loop.core.owner = nil
        loop = nil
    }

    override func stopped(_ reason: StopReason) { core.stopped(self, reason) }
}
