public import PluginHost

/// The counters of an app's run, summed over its loops.
public struct AppCounters: Hashable, Sendable {
    /// New states.
    public var steps = 0
    /// Events taken through a reducer, handled or not.
    public var events = 0
    /// Queued events that were withdrawn because the run that emitted them was replaced: answers to an older
    /// state.
    public var withdrawn = 0
    /// Events that were still queued when their loop stopped.
    public var discarded = 0
    /// Emissions that became no event, and starts of feedbacks that a full queue refused.
    ///
    /// The run of such an emission was over (replaced, finished or cancelled), the manifest makes no event of
    /// it, or a full mailbox refused it or dropped it for a newer one. Runs of one app at the same time also
    /// count emissions after the end of each other's calls.
    public var drops = 0
    /// Messages that a loop did not get, counted once for each loop. Its mailbox was full, or it stopped
    /// first.
    public var lostMessages = 0
    /// Faults: failures in reducers, conditions and effects.
    public var faults = 0
    /// Swaps that succeeded.
    public var swaps = 0
    /// Swaps that were refused, as the new version does not fit.
    public var refusedSwaps = 0
    /// Swaps that failed for another reason than the new version, and roll-backs that failed.
    public var failedSwaps = 0
    /// Swaps after which the version before took its place again.
    public var rollBacks = 0
    /// The libraries of versions that were replaced, rolled back or refused: in use, unmapped or kept.
    public var replaced = RetiredImages.Counts()
}
