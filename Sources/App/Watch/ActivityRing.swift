/// The last activities of one source, for several readers. When it is full, a new one replaces the oldest.
struct ActivityRing {
    /// The greatest number that is kept.
    private(set) var capacity: Int
    /// How many were added since the beginning. A gap counts as many as it has steps.
    private(set) var total: UInt64 = 0
    private var kept: [AppActivity] = []
    /// The index of the oldest one.
    private var first = 0
    /// How many were replaced since the last `removeAll`.
    private var forgotten = 0

    init(capacity: Int) { self.capacity = capacity }

    mutating func append(_ activity: AppActivity) {
        total += Self.weight(activity)
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

    private static func weight(_ activity: AppActivity) -> UInt64 { max(1, activity.missedSteps) }

    /// Those after the first `seen` ones, by `total`, and how many of them are not kept any more.
    ///
    /// - Parameter seen: becomes `total`.
    func after(_ seen: inout UInt64) -> (lost: Int, kept: [AppActivity]) {
        var missing = total - min(seen, total)
        var oldest = kept.count
        while missing > 0, oldest > 0 {
            oldest -= 1
            missing -= min(missing, Self.weight(self[oldest]))
        }
        seen = total
        return (Int(clamping: missing), (oldest..<kept.count).map { self[$0] })
    }

    /// One that is kept, counted from the oldest.
    private subscript(_ index: Int) -> AppActivity { kept[(first + index) % kept.count] }

    /// Forgets all.
    mutating func removeAll() { (kept, first, forgotten) = ([], 0, 0) }
}
