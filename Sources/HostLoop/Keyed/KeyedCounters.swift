/// What has become of loops by key.
public struct KeyedCounters: Sendable, Hashable {
    /// Loops that were made.
    public var made: UInt64 = 0
    /// Loops that have stopped.
    public var stopped: UInt64 = 0
    /// Events that were queued in loops when these stopped.
    public var discarded: UInt64 = 0
    /// Events that were refused because there were as many loops as there may be.
    public var refusedByLimit: UInt64 = 0
    /// Events that were refused because their key had no loop.
    public var refusedAsAbsent: UInt64 = 0
    /// Last states of ended loops that are kept now.
    public var kept = 0
}
