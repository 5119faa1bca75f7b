/// What waits for one client. When too much waits, the oldest is skipped and counted.
struct LineQueue<Item: Sendable>: Sendable {
    /// So many items wait at most.
    static var mostWaiting: Int { 1000 }

    private let isUrgent: @Sendable (Item) -> Bool
    private var waiting: ArraySlice<Item> = []
    private var skipped = 0

    /// - Parameter isUrgent: whether an item is skipped only after all that are not urgent.
    init(urgent isUrgent: @escaping @Sendable (Item) -> Bool) { self.isUrgent = isUrgent }

    /// Adds items in their order.
    ///
    /// - Parameter lost: how many came before them and were not kept.
    mutating func add(_ items: [Item], lost: Int = 0) {
        skipped += lost
        waiting += items
        skip(downTo: Self.mostWaiting)
    }

    /// Skips all that is not urgent.
    mutating func skipOthers() {
        let urgent = waiting.filter(isUrgent)
        skipped += waiting.count - urgent.count
        waiting = urgent[...]
    }

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
        var excess = max(0, waiting.count - most)
        guard excess > 0 else { return }
        skipped += excess
        waiting =
            waiting.filter { item in
                guard excess > 0, !isUrgent(item) else { return true }
                excess -= 1
                return false
            }[...]
        waiting = waiting.dropFirst(excess)
    }
}
