/// What waits for one client. When too much waits, the oldest is skipped and counted.
struct LineQueue<Item: Sendable>: Sendable {
    /// So many items wait at most.
    static var mostWaiting: Int { 1000 }

    private var waiting: ArraySlice<Item> = []
    private var skipped = 0

    /// Adds items in their order.
    ///
    /// - Parameter lost: how many came before them and were not kept.
    mutating func add(_ items: [Item], lost: Int = 0) {
        skipped += lost
        waiting += items
        skip(downTo: Self.mostWaiting)
    }

    /// Skips all that waits.
    mutating func skipAll() { skip(downTo: 0) }

    /// Takes items as `ControlTarget.takeActivity` says.
    mutating func take(
        most: Int, isFresh: Bool
    ) -> (items: ArraySlice<Item>, skipped: Int, isMore: Bool) {
        if isFresh { skip(downTo: most) }
        let taken = waiting.prefix(most)
        waiting = waiting.dropFirst(taken.count)
        // The number comes when items can come behind it.
        let before = taken.isEmpty && !isFresh ? 0 : skipped
        skipped -= before
        return (taken, before, !waiting.isEmpty || skipped > 0)
    }

    private mutating func skip(downTo most: Int) {
        let excess = max(0, waiting.count - most)
        skipped += excess
        waiting = waiting.dropFirst(excess)
    }
}
