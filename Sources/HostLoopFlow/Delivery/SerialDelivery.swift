import HostLoop

/// Delivers items one at a time, in the order in which any threads add them.
///
/// The thread that adds an item to an idle queue delivers it, and also the items that are added during the
/// delivery. An item that is added within a delivery waits for its end. No lock is held during a delivery.
package final class SerialDelivery<Item: Sendable>: Sendable {
    private enum Entry: Sendable {
        case item(Item)
        /// A task that waits for its turn.
        case turn(CheckedContinuation<Void, Never>)
    }

    private struct Queue: Sendable {
        var entries = FIFO<Entry>()
        var isDelivering = false
        /// A task has its turn. It may wait for room during the turn.
        var isHeld = false
    }

    private let queue = Lock(Queue())

    package init() {}

    /// Delivers the item now, or queues it for the thread that is delivering.
    /// - Parameter limit: How many entries may wait while a task has its turn; nil means no limit.
    /// - Returns: false if there was no room for the item, which is then not delivered.
    @discardableResult
    package func add(_ item: Item, limit: Int? = nil, deliver: (Item) -> Void) -> Bool {
        let (isAdded, delivers) = queue.withLock { queue in
            if let limit, queue.isHeld, queue.entries.count >= limit { return (false, false) }
            queue.entries.append(.item(item))
            defer { queue.isDelivering = true }
            return (true, !queue.isDelivering)
        }
        if delivers { drain(deliver: deliver) }
        return isAdded
    }

    /// Waits until the caller has the exclusive right to deliver. The caller must release it with `drain`.
    nonisolated(nonsending) func acquireTurn() async {
        if queue.withLock({ Self.beginsTurn(&$0) }) { return }
        await withCheckedContinuation { continuation in
            let begins = queue.withLock { queue in
                let begins = Self.beginsTurn(&queue)
                if !begins { queue.entries.append(.turn(continuation)) }
                return begins
            }
            if begins { continuation.resume() }
        }
    }

    /// Delivers the queued items, up to the turn of a waiting task, and ends the caller's turn.
    func drain(deliver: (Item) -> Void) {
        while let item = next() { deliver(item) }
    }

    private static func beginsTurn(_ queue: inout Queue) -> Bool {
        guard !queue.isDelivering else { return false }
        (queue.isDelivering, queue.isHeld) = (true, true)
        return true
    }

    private func next() -> Item? {
        let entry = queue.withLock { queue in
            let entry = queue.entries.popFirst()
            queue.isDelivering = entry != nil
            if case .turn? = entry { queue.isHeld = true } else { queue.isHeld = false }
            return entry
        }
        switch entry {
        case .item(let item): return item
        case .turn(let continuation):
            continuation.resume()
            return nil
        case nil: return nil
        }
    }
}
