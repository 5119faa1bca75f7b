import HostLoop

/// Hands items over one at a time, in the order in which they came, from whatever threads they come.
///
/// The thread that finds it idle also delivers the items that others add meanwhile. An item that is added within a delivery
/// waits for its end. No lock is held while an item is delivered.
package final class SerialDelivery<Item: Sendable>: Sendable {
    private enum Entry: Sendable {
        case item(Item)
        /// A task that waits for its turn.
        case turn(CheckedContinuation<Void, Never>)
    }

    private struct Queue: Sendable {
        var entries = FIFO<Entry>()
        var isDelivering = false
        /// A task has its turn, and may wait for room meanwhile.
        var isHeld = false
    }

    private let queue = Lock(Queue())

    package init() {}

    /// Delivers the item now, or has the thread that delivers do it.
    /// - Parameter limit: How many entries may wait while a task has its turn; nil is any number.
    /// - Returns: false when the item found no room and is not delivered.
    @discardableResult
    package func add(_ item: Item, limit: Int? = nil, deliver: (Item) -> Void) -> Bool {
        let (isAdded, delivers) = queue.withLock { queue in
            if let limit, queue.isHeld, queue.entries.count >= limit { return (false, false) }
            queue.entries.append(.item(item))
            defer { queue.isDelivering = true }
            return (true, !queue.isDelivering)
        }
        if delivers { pass(deliver: deliver) }
        return isAdded
    }

    /// Waits until the caller alone delivers, which it does until it calls `pass`.
    nonisolated(nonsending) func takeTurn() async {
        if queue.withLock({ Self.begins(&$0) }) { return }
        await withCheckedContinuation { continuation in
            let begins = queue.withLock { queue in
                let begins = Self.begins(&queue)
                if !begins { queue.entries.append(.turn(continuation)) }
                return begins
            }
            if begins { continuation.resume() }
        }
    }

    /// Hands over the items that were added meanwhile, up to the turn of a task that waits.
    func pass(deliver: (Item) -> Void) {
        while let item = next() { deliver(item) }
    }

    private static func begins(_ queue: inout Queue) -> Bool {
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
