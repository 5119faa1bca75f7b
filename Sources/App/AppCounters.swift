/// What a run of an app came to, summed over its loops.
public struct AppCounters: Hashable, Sendable {
    /// New states.
    public var steps = 0
    /// Events taken through a reducer, handled or not.
    public var events = 0
    /// Events that were queued and not reduced: taken back with their run, emitted too late, refused by a full
    /// mailbox, or discarded at the end.
    public var drops = 0
    /// Faults.
    public var faults = 0
}
