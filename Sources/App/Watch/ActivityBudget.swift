/// How many activities of a loop may still be kept.
///
/// It bounds what a watched loop costs (row O1 of `script/bench`). A burst as long as a ring of steps with their runs is
/// kept whole.
struct ActivityBudget {
    /// The greatest number, and what a second adds.
    static let most = 30_000, perSecond = 100_000
    /// A loop that has spent all is observed again only when so many may be kept.
    private static let least = 2_000

    private enum State {
        case open(left: Int)
        case spent
        /// So many may be kept once the loop is observed again.
        case granted(Int)
    }

    private var state = State.open(left: Self.most)
    private var refilled: ContinuousClock.Instant?

    /// Whether nothing may be kept.
    var isSpent: Bool { if case .open = state { false } else { true } }

    /// Counts one activity.
    mutating func spend() {
        if case .open(let left) = state { state = left > 1 ? .open(left: left - 1) : .spent }
    }

    /// Adds what the time since the last call allows.
    ///
    /// - Returns: whether the loop is to be observed again: true once after all was spent.
    mutating func refill(at now: ContinuousClock.Instant) -> Bool {
        let seconds = refilled.map { (now - $0) / .seconds(1) } ?? 1
        let added = Int(min(seconds, 1) * Double(Self.perSecond))
        switch state {
        case .open(let left): state = .open(left: min(Self.most, left + added))
        case .spent where added >= Self.least: state = .granted(min(Self.most, added))
        case .spent, .granted: return false
        }
        refilled = now
        return isSpent
    }

    /// The loop is observed again.
    mutating func resume() {
        if case .granted(let left) = state { state = .open(left: left) }
    }
}
