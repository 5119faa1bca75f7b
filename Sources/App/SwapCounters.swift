import HostLoop
public import PluginHost

/// How many swaps of an app came to what, and what became of the versions that were replaced.
public struct SwapCounters: Hashable, Sendable {
    /// New versions that are called.
    public var swapped = 0
    /// New versions that did not fit.
    public var refused = 0
    /// Swaps that did not come about for another reason.
    public var failed = 0
    /// What became of the versions before, and of those that were refused.
    public var images = RetiredImages.Counts()

    /// None yet.
    public init() {}

    /// Adds what came about between two times.
    public mutating func add(_ later: SwapCounters, since earlier: SwapCounters) {
        swapped += later.swapped - earlier.swapped
        refused += later.refused - earlier.refused
        failed += later.failed - earlier.failed
        images.inUse += later.images.inUse - earlier.images.inUse
        images.unmapped += later.images.unmapped - earlier.images.unmapped
        images.kept += later.images.kept - earlier.images.kept
        images.keptWithThreads += later.images.keptWithThreads - earlier.images.keptWithThreads
        images.keptBytes += later.images.keptBytes - earlier.images.keptBytes
        images.lastReason = later.images.lastReason ?? images.lastReason
    }

    mutating func count(_ outcome: SwapReport.Outcome) {
        switch outcome {
        case .swapped: swapped += 1
        case .refused: refused += 1
        case .failed: failed += 1
        case .unchanged, .rolledBack: break
        }
    }
}

extension App {
    /// The swaps by now.
    public var swapCounters: SwapCounters {
        var counters = swapTally.withLock { $0 }
        counters.images = plugins.services.images.counts
        return counters
    }
}
