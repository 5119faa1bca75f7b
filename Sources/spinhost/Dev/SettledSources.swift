/// The sources of a plugin, which are looked at again and again, and taken when they stayed the same for three looks: half of a file is
/// not.
///
/// What changes soon after something else has to stay the same for longer, so that ten saves in a second are a few builds and not ten.
struct SettledSources: Sendable {
    /// How long after a look the next one is due while they are not settled: somebody waits for it then.
    static let pace = Duration.milliseconds(10)

    /// So soon after one change another one is not the only one.
    private static let burst = Duration.milliseconds(250)

    private var seen: SourceTree
    /// What was taken last, or was there at the beginning.
    private(set) var taken: SourceTree
    /// When a look has found them changed.
    private var changed: ContinuousClock.Instant?
    /// How many looks in a row have found the same, and how many have to.
    private var looks = 0
    private var needed = Self.few

    private static let few = 2
    private static let many = 10

    /// - Parameter tree: what the library was built from that is there.
    init(_ tree: SourceTree) { (seen, taken) = (tree, tree) }

    /// Whether they have stayed the same for so long that nobody writes to them any more.
    var isSettled: Bool { looks >= needed }

    /// Looks: this is how they are at a time.
    mutating func look(_ tree: SourceTree, at now: ContinuousClock.Instant) {
        guard tree != seen else {
            looks += 1
            return
        }
        needed = changed.map { $0.duration(to: now) < Self.burst } == true ? Self.many : Self.few
        (seen, looks) = (tree, 0)
        // A file that is gone or empty is about to be there again, which is the same change.
        if !tree.isIncomplete { changed = now }
    }

    /// True when they are settled, and others than those that were taken: they are taken then.
    mutating func take() -> Bool {
        guard isSettled, !seen.isIncomplete, seen != taken else { return false }
        taken = seen
        return true
    }
}
