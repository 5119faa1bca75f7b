/// The last activities of one source, for several readers. When it is full, a new one replaces the oldest.
struct ActivityRing {
    /// The greatest number that is kept.
    private(set) var capacity: Int
    /// How many were added since the beginning.
    private(set) var total: UInt64 = 0
    private var kept: [AppActivity] = []
    /// The index of the oldest one.
    private var first = 0
    /// How many were replaced since the last `removeAll`.
    private var forgotten = 0

    init(capacity: Int) { self.capacity = capacity }

    mutating func append(_ activity: AppActivity) {
        total += 1
        if kept.count < capacity {
            kept.append(activity)
        } else {
            forgotten += 1
            kept[first] = activity
            first = first + 1 == kept.count ? 0 : first + 1
        }
    }

    /// Keeps at most so many from now on.
    mutating func limit(to capacity: Int) {
        guard capacity != self.capacity else { return }
        self.capacity = capacity
        forgotten += max(0, kept.count - capacity)
        kept = all.suffix(capacity)
        first = 0
    }

    /// Whether some are not kept any more.
    var hasForgotten: Bool { forgotten > 0 }

    /// All that are kept, the oldest first.
    var all: [AppActivity] { Array(kept[first...] + kept[..<first]) }

    /// Those after the first `seen` ones, and how many of them are not kept any more.
    func after(_ seen: UInt64) -> (lost: Int, kept: [AppActivity]) {
        let new = Int(clamping: total - min(seen, total))
        guard new < kept.count else { return (new - kept.count, all) }
        return (0, (kept.count - new..<kept.count).map { kept[(first + $0) % kept.count] })
    }

    /// Forgets all.
    mutating func removeAll() { (kept, first, forgotten) = ([], 0, 0) }
}
