/// A bounded inbox: it decides whether an entry has room, and which entries make room for it.
extension Inbox {
    /// Whether an entry of `weight` events has room, or gets room under the overflow rule.
    /// - Parameter released: Gets the items that the caller must release outside the lock.
    @inlinable
    mutating func makeRoom(for weight: Int, _ released: inout [Item]) -> Bool {
        let missing = room.count + weight - room.limit
        guard missing > 0 else { return true }
        guard weight <= room.limit else { return false }
        switch room.overflow {
        case .reject: return false
        case .dropOldest:
            room.excess += missing
            // The old items are dropped later, many at once: to remove the first item of an array costs as
            // much as to remove many.
            if room.excess - room.queued >= room.limit { dropOldest(room.excess - room.queued, &released) }
        case .dropNewest: dropNewest(missing, &released)
        }
        return true
    }

    /// Counts a dropped entry. Returns the notice for observers, or nil when they get none.
    @inlinable
    mutating func countDropped(_ item: Item) -> Item? {
        room.dropped += UInt64(item.weight)
        guard room.reported < room.reportLimit else { return nil }
        room.reported += item.weight
        return .overflowed(item)
    }

    @usableFromInline
    mutating func dropOldest(_ excess: Int, _ released: inout [Item]) {
        var excess = excess
        var kept: ContiguousArray<Item> = []
        for item in items {
            guard excess > 0, item.weight > 0 else {
                kept.append(item)
                continue
            }
            excess -= item.weight
            room.incoming -= item.weight
            if let notice = countDropped(item) {
                kept.append(notice)
                hasNotices = true
            } else {
                released.append(item)
            }
        }
        items = kept
        room.excess = room.queued
    }

    @usableFromInline
    mutating func dropNewest(_ missing: Int, _ released: inout [Item]) {
        var missing = missing
        while missing > 0, let index = items.lastIndex(where: { $0.weight > 0 }) {
            let item = items[index]
            missing -= item.weight
            room.incoming -= item.weight
            if let notice = countDropped(item) {
                items[index] = notice
                hasNotices = true
            } else {
                items.remove(at: index)
                released.append(item)
            }
        }
        room.excess += max(0, missing)
    }
}

extension Inbox.Item {
    /// The number of events that the item adds to the mailbox's count.
    @inlinable var weight: Int {
        switch self {
        case .event: 1
        case .events(let events): events.count
        case .emission(_, let rest, _, _): 1 + (rest?.count ?? 0)
        case .finished, .returned, .resumed, .callback, .dropped, .overflowed: 0
        }
    }
}
