public import PluginHost

/// What a run of an app came to, summed over its loops.
public struct AppCounters: Hashable, Sendable {
    /// New states.
    public var steps = 0
    /// Events taken through a reducer, handled or not.
    public var events = 0
    /// Queued events that were taken back because the run that emitted them was replaced: answers to an
    /// older state.
    public var withdrawn = 0
    /// Events that were still queued when their loop stopped.
    public var discarded = 0
    /// Emissions that came to nothing: their run was over (replaced, finished or cancelled), the manifest makes
    /// nothing of them, or a full mailbox refused them or dropped them for newer ones; starts of feedbacks that a full
    /// queue refused, too. Runs of one app at the same time count those of each other's finished calls too.
    public var drops = 0
    /// Messages that a loop did not get, counted for each loop: its mailbox was full, or it stopped before they became
    /// events.
    public var lostMessages = 0
    /// Faults.
    public var faults = 0
    /// Plugins that were swapped.
    public var swaps = 0
    /// Swaps that were refused, as the new version does not fit.
    public var refusedSwaps = 0
    /// Swaps that failed for another reason than the new version, and roll-backs that failed.
    public var failedSwaps = 0
    /// Swaps after which the version before took its place again.
    public var rollBacks = 0
    /// What became of the libraries of versions that were replaced, rolled back or refused.
    public var replaced = RetiredImages.Counts()
}
