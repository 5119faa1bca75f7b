/// A way into loops by key. It keeps neither them nor their memory. May be used from any thread.
///
/// After the last release of the `KeyedLoops`, and before its `init` has returned, events are refused with
/// `.stopped`.
public struct KeyedEmitter<Key: Hashable & Sendable, Event: Sendable>: Sendable {
    @usableFromInline let door: KeyedDoor<Key, Event>

    @usableFromInline
    init(door: KeyedDoor<Key, Event>) { self.door = door }

    /// Queues an event for the loop of a key: see `KeyedLoops.emit(_:to:)`.
    @discardableResult
    public func emit(_ event: Event, to key: Key) -> KeyedEmitResult {
        door.entrance?.emit(event, to: key) ?? .stopped
    }

    /// Queues an event, and waits for room: see `KeyedLoops.send(_:to:)`.
    @discardableResult
    public nonisolated(nonsending) func send(_ event: Event, to key: Key) async -> KeyedEmitResult {
        await door.entrance?.send(event, to: key) ?? .stopped
    }

    /// Reduces an event now: see `KeyedLoops.perform(_:on:)`.
    @discardableResult
    public func perform(_ event: Event, on key: Key) -> KeyedEmitResult {
        door.entrance?.perform(event, on: key) ?? .stopped
    }

    /// Stops the loop of a key: see `KeyedLoops.stop(_:)`.
    /// - Returns: Whether a loop ran.
    @discardableResult
    public func stop(_ key: Key) -> Bool { door.entrance?.stop(key) ?? false }
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

/// The entrance to loops by key, without the type of their states.
// Safe because it has no properties.
@usableFromInline
class KeyedEntrance<Key: Hashable & Sendable, Event: Sendable>: @unchecked Sendable {
    @usableFromInline
    init() {}

    @usableFromInline
    func emit(_ event: Event, to key: Key) -> KeyedEmitResult { .stopped }

    @usableFromInline
    func perform(_ event: Event, on key: Key) -> KeyedEmitResult { .stopped }

    nonisolated(nonsending) func send(_ event: Event, to key: Key) async -> KeyedEmitResult { .stopped }

    func stop(_ key: Key) -> Bool { false }
}

/// Where emitters find the entrance. It exists before the loops do, and refers to them until they are released.
@usableFromInline
final class KeyedDoor<Key: Hashable & Sendable, Event: Sendable>: Sendable {
    private let place = Lock<KeyedEntrance<Key, Event>?>(nil)

    var entrance: KeyedEntrance<Key, Event>? { place.withLock { $0 } }

    @usableFromInline
    init() {}

    @usableFromInline
    func open(_ entrance: KeyedEntrance<Key, Event>) { place.withLock { $0 = entrance } }

    /// Releases the loops.
    func close() {
        let entrance = place.withLock { $0.take() }
        withExtendedLifetime(entrance) {}
    }
}
