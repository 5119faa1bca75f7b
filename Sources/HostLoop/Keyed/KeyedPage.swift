/// A place in the order of the loops of one `KeyedLoops`. It stays valid while loops come and go.
public struct KeyedCursor: Sendable, Hashable, Codable {
    /// The number of the last loop before it: loops are counted from 1.
    package let number: UInt64

    package init(number: UInt64) { self.number = number }
}

/// A part of the list of loops by key.
public struct KeyedPage<Key: Hashable & Sendable, State: Sendable>: Sendable {
    /// Keys with states, in the order in which their loops were made.
    public let loops: [(key: Key, state: State)]
    /// The place after the last one; nil when no loop follows now.
    public let next: KeyedCursor?
}
