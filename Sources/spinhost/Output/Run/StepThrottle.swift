/// Limits the number of step lines per second and counts the others, so that a fast loop does not flood a
/// terminal.
struct StepThrottle {
    /// The greatest number of lines in one second.
    static let limit = 50

    private var windowStart: ContinuousClock.Instant?
    private var shown = 0
    private(set) var hidden = 0

    /// What to do with one more line at `now`.
    enum Decision: Equatable {
        /// Show it, after the number of hidden lines before it (may be 0).
        case show(hiddenBefore: Int)
        /// Hide it and count it.
        case hide
    }

    /// Decides about one more line.
    mutating func next(at now: ContinuousClock.Instant) -> Decision {
        if windowStart.map({ now - $0 >= .seconds(1) }) ?? true {
            windowStart = now
            shown = 0
        }
        guard shown < Self.limit else {
            hidden += 1
            return .hide
        }
        shown += 1
        defer { hidden = 0 }
        return .show(hiddenBefore: hidden)
    }
}
