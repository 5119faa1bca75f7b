/// Lets at most so many lines a second through and counts the others, so that a fast loop does not drown a terminal.
struct StepThrottle {
    /// Lines shown in one second.
    static let limit = 50

    private var windowStart: ContinuousClock.Instant?
    private var shown = 0
    private(set) var hidden = 0

    /// What to do with one more line at `now`.
    enum Decision: Equatable {
        /// Show it, after saying how many were hidden before it (0: none).
        case show(hiddenBefore: Int)
        /// Only count it.
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
