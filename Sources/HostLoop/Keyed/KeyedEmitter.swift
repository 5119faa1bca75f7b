/// A way into keyed loops. It keeps neither them nor their memory. May be used from any thread.
public struct KeyedEmitter<Key: Hashable & Sendable, Event: Sendable>: Sendable {
    let door: KeyedDoor<Key, Event>

    /// Queues an event for the loop of a key: see `KeyedLoops.emit(_:to:)`.
    /// - Returns: `.stopped` also when the loops are gone.
    @discardableResult
    public func emit(_ event: Event, to key: Key) -> KeyedEmitResult { door.emit(event, key) }
}

/// The entrance to keyed loops, which exists before them.
final class KeyedDoor<Key: Hashable & Sendable, Event: Sendable>: Sendable {
    private let emission = Lock<(@Sendable (Event, Key) -> KeyedEmitResult)?>(nil)

    /// Lets events in, until `close`.
    func open(_ emit: @escaping @Sendable (Event, Key) -> KeyedEmitResult) { emission.withLock { $0 = emit } }

    /// Releases the loops.
    func close() {
        let emit = emission.withLock { $0.take() }
        withExtendedLifetime(emit) {}
    }

    func emit(_ event: Event, _ key: Key) -> KeyedEmitResult {
        emission.withLock { $0 }?(event, key) ?? .stopped
    }
}

/// The result of an emission for a key.
public enum KeyedEmitResult: Sendable, Hashable {
    /// The event is in the queue of the key's loop.
    case queued
    /// The bounded mailbox of the key's loop had no room.
    case full
    /// The key has no loop, and the event makes none.
    case absent
    /// The key has no loop, and there are as many loops as there may be.
    case limit
    /// The task of `send` was cancelled before the event was queued.
    case cancelled
    /// The loops have been stopped.
    case stopped
}
