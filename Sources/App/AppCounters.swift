/// What a run of an app came to, summed over its loops.
public struct AppCounters: Hashable, Sendable {
    /// New states.
    public var steps = 0
    /// Events taken through a reducer, handled or not.
    public var events = 0
    /// Queued events that were taken back because the run that emitted them was replaced: answers to an older state.
    public var withdrawn = 0
    /// Events that were still queued when their loop stopped.
    public var discarded = 0
    /// Events that were lost on the way: emitted by a run that was over, or refused by a full mailbox.
    public var drops = 0
    /// Faults.
    public var faults = 0
}
